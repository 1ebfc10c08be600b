import { exponentialBackoff, NoReply } from '@florin/event-sourcing';
import { type Kafka, type Message, Partitioners, type Producer } from 'kafkajs';
import { LRUCache } from 'lru-cache';
import { brokerRefusalIn, noRetries, requestTimeoutMs } from './kafka-client';
import { type OutboundMessage, OutboundQueue, type Waiting } from './outbound-queue';
import type { Topics } from './topics';

export interface ProducerBufferOptions {
  readonly kafka: Kafka;
  readonly topics: Topics;
  readonly maxWaiting: number;
  /** Who has waited so long is told that the outcome is unknown. */
  readonly timeoutMs: number;
}

/** A topic that was just made may not be known everywhere yet. */
const maxUnknownTopicTries = 3;
const deletedTopicTtlMs = 60_000;

/**
 * The one way out to Kafka. What is given while a batch is under way goes out in the next one, so a busy process sends few
 * large batches, and an idle one waits for nothing.
 *
 * One batch at a time, and a failed one goes before all that came later: that is what keeps the order of each key. A batch
 * whose answer was lost is written twice, which everybody who reads commands is prepared for; the idempotent producer of
 * the client would spare us that, but once its sequence numbers differ from the broker's it never sends again.
 */
export class ProducerBuffer {
  private readonly queue: OutboundQueue;
  private readonly backoff = exponentialBackoff(50, 1_000);
  /** Reply topics whose owners have deleted them. */
  private readonly deletedTopics = new LRUCache<string, true>({ max: 1_000, ttl: deletedTopicTtlMs });
  private producer: Producer | undefined;
  private working: Promise<void> | undefined;
  /** So many messages go topic by topic, because one of their topics made a batch fail. */
  private isolatedMessages = 0;
  private unknownTopicTries = 0;
  private failures = 0;
  private failing: { readonly sinceMs: number; readonly error: unknown } | undefined;
  private closed = false;

  constructor(private readonly options: ProducerBufferOptions) {
    this.queue = new OutboundQueue(options);
  }

  /** Resolves when the message is safe on the broker. What cannot be sent at all is told at once. */
  put(outbound: OutboundMessage): Promise<void> {
    if (this.closed) return Promise.reject(new NoReply(`${outbound.label} came after the bus was closed; repeat it`));
    if (this.deletedTopics.has(outbound.topic))
      return Promise.reject(new NoReply(`${outbound.label}: ${outbound.topic} is gone`));
    const sent = this.queue.put(outbound);
    // At the end of the turn, so that all that one turn brings goes together.
    this.working ??= new Promise((done) => setImmediate(() => void this.work().then(done)));
    return sent;
  }

  /** Nothing waits any more: all of it was sent, or has waited too long. */
  async flush(): Promise<void> {
    while (this.working !== undefined) await this.working;
  }

  /** Since when nothing could be sent, and why. */
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
    // Nobody waits who could be told; whether Kafka can be reached at all, the consumers know.
    this.failing = undefined;
    this.working = undefined;
  }

  private async deliver(batch: readonly Waiting[]): Promise<void> {
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

  private delivered(batch: readonly Waiting[]): void {
    this.isolatedMessages = Math.max(0, this.isolatedMessages - batch.length);
    this.unknownTopicTries = 0;
    this.failures = 0;
    this.failing = undefined;
    this.queue.resolve(batch);
  }

  private async failed(error: unknown): Promise<void> {
    this.failures += 1;
    this.failing = { sinceMs: this.failing?.sinceMs ?? performance.now(), error };
    // A client asks for ever for every topic it has once sent to, and nothing goes out when one of them was removed.
    void this.discardProducer();
    await this.backoff.wait(this.failures);
  }

  /** One bad topic fails a whole batch. Who it is shows when each goes alone; the others must not suffer for it. */
  private isolateFailure(batch: readonly Waiting[], error: unknown): void {
    const refusal = brokerRefusalIn(error);
    const isUnknown = refusal?.type === 'UNKNOWN_TOPIC_OR_PARTITION';
    if (refusal === undefined || (refusal.retriable && !isUnknown)) return;
    for (const { context } of batch) if (context !== undefined) this.options.topics.forget(context);
    this.isolatedMessages = Math.max(this.isolatedMessages, batch.length);
    const { topic, context } = batch[0]!;
    if (batch.some((outbound) => outbound.topic !== topic)) return;
    if (isUnknown) {
      // A context's topics are made anew; whose reply topic stays unknown has gone.
      if (context !== undefined || ++this.unknownTopicTries < maxUnknownTopicTries) return;
      this.deletedTopics.set(topic, true);
    }
    this.isolatedMessages = Math.max(0, this.isolatedMessages - batch.length);
    this.unknownTopicTries = 0;
    const why = ({ label }: Waiting): NoReply => new NoReply(`${label} cannot be sent to ${topic}`, { cause: error });
    this.queue.reject((outbound) => outbound.topic === topic, why);
  }

  private async discardProducer(): Promise<void> {
    const { producer } = this;
    this.producer = undefined;
    await producer?.disconnect().catch(() => undefined);
  }
}

function byTopic(batch: readonly Waiting[]): { topic: string; messages: Message[] }[] {
  const topics = new Map<string, Message[]>();
  for (const { topic, message } of batch) {
    const messages = topics.get(topic);
    if (messages === undefined) topics.set(topic, [message]);
    else messages.push(message);
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}
