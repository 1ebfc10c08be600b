import { exponentialBackoff, NoReply } from '@florin/event-sourcing';
import { type Kafka, type Message, Partitioners, type Producer } from 'kafkajs';
import { LRUCache } from 'lru-cache';
import { brokerRefusalIn, noRetries, requestTimeoutMs } from './kafka-client';
import { type OutboundMessage, OutboundQueue, type QueuedMessage } from './outbound-queue';
import type { Topics } from './topics';

export interface ProducerBufferOptions {
  readonly kafka: Kafka;
  readonly topics: Topics;
  readonly maxWaiting: number;
  /** A message that has waited this long is rejected with an unknown outcome. */
  readonly timeoutMs: number;
}

/** A new topic may not be known to all brokers yet. */
const maxUnknownTopicTries = 3;
const deletedTopicTtlMs = 60_000;

/**
 * Sends all messages of this process to Kafka. Messages that arrive while a batch is in flight form the next one, so a
 * busy process sends few large batches and an idle one sends immediately.
 *
 * Only one batch is in flight, and a failed batch goes before later messages: this keeps the order per key. A batch
 * whose acknowledgement was lost is written twice, and every consumer tolerates that. The client's idempotent producer
 * would avoid it, but it never recovers once its sequence numbers differ from the broker's.
 */
export class ProducerBuffer {
  private readonly queue: OutboundQueue;
  private readonly backoff = exponentialBackoff(50, 1_000);
  /** Reply topics that their owners have deleted. */
  private readonly deletedTopics = new LRUCache<string, true>({ max: 1_000, ttl: deletedTopicTtlMs });
  private producer: Producer | undefined;
  private working: Promise<void> | undefined;
  /** How many messages are sent topic by topic, because one topic made a batch fail. */
  private isolatedMessages = 0;
  private unknownTopicTries = 0;
  private failures = 0;
  private failing: { readonly sinceMs: number; readonly error: unknown } | undefined;
  private closed = false;

  constructor(private readonly options: ProducerBufferOptions) {
    this.queue = new OutboundQueue(options);
  }

  /** Resolves when the message is durable on the broker. Rejects immediately when it cannot be sent. */
  put(outbound: OutboundMessage): Promise<void> {
    if (this.closed)
      return Promise.reject(new NoReply(`${outbound.label} was sent after the bus was closed; retry it`));
    if (this.deletedTopics.has(outbound.topic))
      return Promise.reject(new NoReply(`${outbound.label}: ${outbound.topic} was deleted`));
    const sent = this.queue.put(outbound);
    // At the end of the event loop turn, so that all messages of one turn share a batch.
    this.working ??= new Promise((done) => setImmediate(() => void this.work().then(done)));
    return sent;
  }

  /** Resolves when the buffer is empty: every message was sent or has expired. */
  async flush(): Promise<void> {
    while (this.working !== undefined) await this.working;
  }

  /** Since when sending fails, and why. */
  failure(): { readonly sinceMs: number; readonly error: unknown } | undefined {
    return this.failing;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.flush();
    await this.discardProducer();
  }

  private async work(): Promise<void> {
    for (;;) {
      this.queue.rejectExpired();
      const batch = this.queue.take({ oneTopic: this.isolatedMessages > 0 });
      if (batch.length === 0) break;
      try {
        await this.deliver(batch);
        this.delivered(batch);
      } catch (error) {
        await this.failed(error);
      }
    }
    // An empty buffer proves nothing about Kafka. The consumers report whether it is reachable.
    this.failing = undefined;
    this.working = undefined;
  }

  private async deliver(batch: readonly QueuedMessage[]): Promise<void> {
    try {
      const contexts = new Set(batch.flatMap(({ context }) => context ?? []));
      await Promise.all([...contexts].map((context) => this.options.topics.ensure(context)));
      this.producer ??= await this.connect();
    } catch (error) {
      this.queue.putBack(batch);
      throw error;
    }
    try {
      const topicMessages = byTopic(batch);
      await this.producer.sendBatch({ acks: -1, timeout: requestTimeoutMs - 1_000, topicMessages });
    } catch (error) {
      this.queue.putBack(batch);
      this.isolateFailure(batch, error);
      throw error;
    }
  }

  private async connect(): Promise<Producer> {
    const createPartitioner = Partitioners.DefaultPartitioner;
    const { kafka } = this.options;
    const producer = kafka.producer({ createPartitioner, allowAutoTopicCreation: false, retry: noRetries });
    await producer.connect();
    return producer;
  }

  private delivered(batch: readonly QueuedMessage[]): void {
    this.isolatedMessages = Math.max(0, this.isolatedMessages - batch.length);
    this.unknownTopicTries = 0;
    this.failures = 0;
    this.failing = undefined;
    this.queue.resolve(batch);
  }

  private async failed(error: unknown): Promise<void> {
    this.failures += 1;
    this.failing = { sinceMs: this.failing?.sinceMs ?? performance.now(), error };
    // A producer keeps requesting metadata of every topic it has sent to, and fails when one of them was deleted.
    void this.discardProducer();
    await this.backoff.wait(this.failures);
  }

  /** One bad topic fails the whole batch. Sending each topic alone shows which one it is, and spares the others. */
  private isolateFailure(batch: readonly QueuedMessage[], error: unknown): void {
    const refusal = brokerRefusalIn(error);
    const isUnknown = refusal?.type === 'UNKNOWN_TOPIC_OR_PARTITION';
    if (refusal === undefined || (refusal.retriable && !isUnknown)) return;
    for (const { context } of batch) if (context !== undefined) this.options.topics.forget(context);
    this.isolatedMessages = Math.max(this.isolatedMessages, batch.length);
    const { topic, context } = batch[0]!;
    if (batch.some((outbound) => outbound.topic !== topic)) return;
    if (isUnknown) {
      // The topics of a context are created again. A reply topic that stays unknown was deleted by its owner.
      if (context !== undefined || ++this.unknownTopicTries < maxUnknownTopicTries) return;
      this.deletedTopics.set(topic, true);
    }
    this.isolatedMessages = Math.max(0, this.isolatedMessages - batch.length);
    this.unknownTopicTries = 0;
    const why = ({ label }: QueuedMessage): NoReply =>
      new NoReply(`${label} cannot be sent to ${topic}`, { cause: error });
    this.queue.reject((outbound) => outbound.topic === topic, why);
  }

  private async discardProducer(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    await producer?.disconnect().catch(() => undefined);
  }
}

function byTopic(batch: readonly QueuedMessage[]): { topic: string; messages: Message[] }[] {
  const topics = new Map<string, Message[]>();
  for (const { topic, message, sign } of batch) {
    const outbound = sign?.(message) ?? message;
    const messages = topics.get(topic);
    if (messages === undefined) topics.set(topic, [outbound]);
    else messages.push(outbound);
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}
