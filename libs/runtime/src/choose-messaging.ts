import { isPermitted } from '@florin/bus-trust';
import { InProcessCommandBus } from '@florin/command-bus-in-process';
import type { CommandBus } from '@florin/event-sourcing';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import { readFileSync } from 'node:fs';
import { BadConfiguration, type Config } from './config';
import type { HealthCheck } from './health';
import type { Log } from './log';
import { type IsOutage, retryable } from './transient';

export interface Messaging {
  readonly bus: CommandBus;
  /** Delivers commands to the controllers of this process. */
  readonly transport: CustomTransportStrategy;
  /** Call before the first command. */
  start(): Promise<void>;
  readonly check: HealthCheck;
  /** How many messages were rejected because they could not be trusted, by reason. */
  readonly rejections: ReadonlyMap<string, number>;
  /** Call after the last command, and after the transport has closed. */
  close(): Promise<void>;
}

export interface MessagingOptions {
  readonly service: string;
  readonly log: Log;
  readonly isOutage: IsOutage;
  /** Called when this process cannot receive commands any more and has to be restarted. */
  readonly onLost: (error: Error) => void;
}

export async function chooseMessaging(config: Config, options: MessagingOptions): Promise<Messaging> {
  return config.COMMAND_BUS === 'kafka' ? onKafka(config, options) : inProcess(options);
}

function inProcess({ log }: MessagingOptions): Messaging {
  const bus = new InProcessCommandBus({
    onFailedSend: (error, { id, command }) => log.error({ err: error, id, type: command.type }, 'A command failed'),
  });
  const nothing = async (): Promise<void> => undefined;
  const rejections = new Map<string, number>();
  return { bus, transport: bus.transport, start: nothing, check: async () => true, rejections, close: nothing };
}

/** Undefined means the certificate authorities that Node trusts. */
function readCertificates(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new BadConfiguration([`KAFKA_CA_FILE cannot be read: ${(error as Error).message}`]);
  }
}

async function onKafka(config: Config, options: MessagingOptions): Promise<Messaging> {
  const { KafkaCommandBus } = await import('@florin/command-bus-kafka');
  const { service, log, isOutage, onLost } = options;
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = config;
  const busKeys = config.BUS_KEYS!;
  const missing = busKeys.missingFor(service);
  if (missing.length > 0) throw new BadConfiguration([`BUS_KEYS must contain a key for ${missing.join(', ')}`]);
  const bus = new KafkaCommandBus({
    service,
    // Keys of other services would allow this one to impersonate them.
    trust: { keysOf: busKeys.for(service).keysOf(), isPermitted },
    brokers: config.KAFKA_BROKERS!,
    topicPrefix: config.KAFKA_TOPIC_PREFIX,
    partitions: config.KAFKA_PARTITIONS,
    replicationFactor: config.KAFKA_REPLICATION_FACTOR,
    sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_SECONDS * 1_000,
    ssl: config.KAFKA_SSL && { ca: readCertificates(config.KAFKA_CA_FILE) },
    // The configuration has all three or none.
    ...(mechanism && { sasl: { mechanism, username: username!, password: password! } }),
    log,
    // No reply from another context is also an outage.
    isTransient: retryable(isOutage),
    onLost,
  });
  const { transport, rejections } = bus;
  const check = async (): Promise<true | string> => bus.status();
  return { bus, transport, start: () => bus.start(), check, rejections, close: () => bus.close() };
}
