import { type Admin, Kafka, logLevel, type LogEntry, type RetryOptions, type SASLOptions } from 'kafkajs';
import type { SubscriptionLog } from '@florin/event-sourcing';
import { LRUCache } from 'lru-cache';
import type { KafkaCommandBusOptions } from './kafka-command-bus-options';

/** The bus retries by itself, on a new connection. Retries inside the client would only hide failures. */
export const fewRetries: RetryOptions = { initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, retries: 3 };
export const noRetries: RetryOptions = { ...fewRetries, retries: 0 };

export const requestTimeoutMs = 5_000;

export function kafkaClient(options: KafkaCommandBusOptions, retry: RetryOptions = fewRetries): Kafka {
  return new Kafka({
    clientId: options.service,
    brokers: [...options.brokers],
    ssl: options.ssl ?? false,
    sasl: options.sasl as SASLOptions | undefined,
    connectionTimeout: 2_000,
    requestTimeout: requestTimeoutMs,
    retry,
    logLevel: logLevel.WARN,
    logCreator: () => {
      const isDue = oncePerMinute();
      return (entry) => void (isDue(entry) && write(options.log, entry));
    },
  });
}

/** The client logs every attempt to connect, which would be thousands of lines during an outage. */
function oncePerMinute(): (entry: LogEntry) => boolean {
  const written = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });
  return ({ namespace, log: { message } }) => {
    const line = `${namespace} ${message}`;
    if (written.has(line)) return false;
    written.set(line, true);
    return true;
  };
}

export async function withAdmin<Result>(kafka: Kafka, work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

function write(log: SubscriptionLog, { level, namespace, log: { message, ...details } }: LogEntry): void {
  const { timestamp: _, logger: __, stack: ___, ...rest } = details;
  const text = `Kafka client: ${message}`;
  // The client logs every error response of the broker, such as for a heartbeat during a rebalance. The caller decides
  // what it means.
  const isRefusal = namespace === 'Connection' && message.startsWith('Response ');
  // SupervisedConsumer logs the error of a crash itself, and decides how serious it is.
  const isCrash = namespace === 'Consumer' && message.startsWith('Crash: ');
  const severity = isRefusal || isCrash ? 'info' : level === logLevel.ERROR ? 'error' : 'warn';
  log[severity]({ part: namespace, ...rest }, text);
}

/** The broker's error inside the errors that the client has wrapped around it. */
export interface BrokerRefusal {
  readonly type: string;
  readonly retriable: boolean;
}

export function brokerRefusalIn(error: unknown): BrokerRefusal | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if ('type' in inner && typeof inner.type === 'string') {
      return { type: inner.type, retriable: 'retriable' in inner && inner.retriable === true };
    }
    // Creating topics fails with one error per topic.
    if ('errors' in inner && Array.isArray(inner.errors)) return brokerRefusalIn(inner.errors[0]);
  }
  return undefined;
}
