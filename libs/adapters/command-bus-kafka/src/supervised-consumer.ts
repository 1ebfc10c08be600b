import { exponentialBackoff, type SubscriptionLog } from '@florin/event-sourcing';
import type { Consumer, ConsumerGroupJoinEvent, Kafka, KafkaMessage, TopicPartitionOffset } from 'kafkajs';
import { isExpectedAtStart, isPermanent } from './consumer-failure';
import { fewRetries } from './kafka-client';

export interface Subscription {
  readonly topic: string;
  readonly groupId: string;
  readonly concurrentPartitions: number;
  /** Called before every join, to ensure that the topic exists. */
  readonly prepare: () => Promise<void>;
  /** The partitions assigned from now on. Their uncommitted messages are redelivered. */
  readonly onJoined: (partitions: readonly number[]) => void;
  /** A rebalance begins. Messages that are committed now are not redelivered. */
  readonly onRebalancing: () => void;
  /** Receives messages in order and returns immediately. */
  readonly onMessages: (partition: number, messages: readonly KafkaMessage[]) => void;
  readonly onLost: (error: Error) => void;
}

export interface SupervisionOptions {
  readonly kafka: Kafka;
  readonly log: SubscriptionLog;
  readonly lostAfterMs: number;
  readonly sessionTimeoutMs: number;
}

/** A member learns from its next heartbeat that the group rebalances. */
const heartbeatsPerSession = 5;
/** Longer than any rebalance: a client that is silent for this many session timeouts hangs and is replaced. */
const sessionsUntilHanging = 3;
/** A broker restart or a rebalance, which takes up to one session timeout, must not mark the replica as unhealthy. */
const unhealthyAfterMs = (sessionTimeoutMs: number): number => Math.max(15_000, 1.5 * sessionTimeoutMs);
/** Several heartbeats. A request that is sent after such a silence would most likely get no reply. */
const disconnectedAfterMs = (sessionTimeoutMs: number): number => Math.max(5_000, 0.6 * sessionTimeoutMs);
/** How long a fetch waits for the first message. Stopping waits for a fetch in progress. */
const fetchWaitMs = 250;
const stopTimeoutMs = 10_000;

/**
 * A consumer that reconnects. The client's own restarts end on transient errors, such as a coordinator that is
 * starting. So a client that crashes or hangs is replaced by a new one, until there was no contact with Kafka for
 * `lostAfterMs` or Kafka denies access. Then the consumer is lost and calls `onLost`.
 */
export class SupervisedConsumer {
  private consumer: Consumer | undefined;
  private running: Promise<void> | undefined;
  private startedMs = performance.now();
  private lastContactMs = performance.now();
  private isJoined = false;
  private lastError: Error | undefined;
  private lost: Error | undefined;
  private readonly stopping = new AbortController();
  private readonly backoff = exponentialBackoff(200, 3_000);

  constructor(
    private readonly subscription: Subscription,
    private readonly options: SupervisionOptions,
  ) {}

  /** Resolves when the group is joined. */
  start(): Promise<void> {
    this.startedMs = this.lastContactMs = performance.now();
    return new Promise((resolve, reject) => {
      this.running = this.supervise(resolve).then(() => {
        reject(this.lost ?? new Error(`The consumer of ${this.subscription.topic} was stopped before it had joined`));
      });
    });
  }

  /** True when healthy, else the problem. */
  status(): true | string {
    return this.contact(unhealthyAfterMs(this.options.sessionTimeoutMs));
  }

  /** True if messages that are sent now can be received soon, else the problem. It changes earlier than the status. */
  connection(): true | string {
    return this.contact(disconnectedAfterMs(this.options.sessionTimeoutMs));
  }

  private contact(maxSilenceMs: number): true | string {
    const { topic } = this.subscription;
    const because = this.lastError === undefined ? '' : `: ${this.lastError.message}`;
    if (this.lost !== undefined) return `the consumer of ${topic} is lost${because}`;
    if (!this.isJoined) return `the consumer of ${topic} has not joined its group yet${because}`;
    const silentMs = performance.now() - this.lastContactMs;
    if (silentMs < maxSilenceMs) return true;
    return `the consumer of ${topic} has had no contact with Kafka for ${Math.round(silentMs / 1_000)} s${because}`;
  }

  async commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    const { topic } = this.subscription;
    const all: TopicPartitionOffset[] = [...offsets].map(([partition, offset]) => {
      return { topic, partition, offset: String(offset) };
    });
    if (this.consumer === undefined) throw new Error('the consumer is not connected');
    await this.consumer.commitOffsets(all);
  }

  pause(partition: number): void {
    this.consumer?.pause([{ topic: this.subscription.topic, partitions: [partition] }]);
  }

  resume(partitions: readonly number[]): void {
    this.consumer?.resume([{ topic: this.subscription.topic, partitions: [...partitions] }]);
  }

  /** Continues from this offset, in a partition that was just assigned. */
  seek(partition: number, offset: number): void {
    this.consumer?.seek({ topic: this.subscription.topic, partition, offset: String(offset) });
  }

  /** Leaves the group. No message is delivered afterwards. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async supervise(onFirstJoin: () => void): Promise<void> {
    for (let tries = 1; !this.stopping.signal.aborted; tries++) {
      const joinedBefore = this.lastContactMs;
      const error = await this.runOnce(onFirstJoin);
      if (error === undefined) return;
      if (this.lastContactMs > joinedBefore) tries = 1;
      this.lastError = error;
      const isLost = performance.now() - this.lastContactMs > this.options.lostAfterMs;
      if (isPermanent(error) || isLost) return this.reportLost(error);
      if (isPowerOfTwo(tries)) this.logFailure(error);
      await this.backoff.wait(tries, this.stopping.signal);
    }
  }

  private logFailure(error: Error): void {
    const { topic } = this.subscription;
    if (isExpectedAtStart(error, performance.now() - this.startedMs))
      this.options.log.info({ topic, reason: error.message }, 'Waiting for a Kafka topic');
    else this.options.log.warn({ topic, err: error }, 'A Kafka consumer failed; replacing it');
  }

  /** Runs one client from its join to its end. Returns the error that ended it, or nothing when it was stopped. */
  private async runOnce(onFirstJoin: () => void): Promise<Error | undefined> {
    const consumer = this.createConsumer();
    const ended = this.endOf(consumer);
    this.consumer = consumer;
    consumer.on(consumer.events.GROUP_JOIN, (event) => {
      // A client that was abandoned while it joined would keep its partitions from working consumers.
      if (this.consumer !== consumer) return void disconnect(consumer);
      this.joined(event);
      onFirstJoin();
    });
    const joinedUntilEnd = this.join(consumer).then(
      () => ended.error,
      (error: Error) => error,
    );
    const error = await Promise.race([ended.error, joinedUntilEnd]);
    this.consumer = undefined;
    ended.forget();
    await disconnect(consumer);
    return this.stopping.signal.aborted ? undefined : error;
  }

  private async join(consumer: Consumer): Promise<void> {
    const { prepare, topic, concurrentPartitions, onMessages } = this.subscription;
    await prepare();
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: concurrentPartitions,
      eachBatch: async ({ batch }) => {
        if (this.consumer === consumer) onMessages(batch.partition, batch.messages);
      },
    });
  }

  private createConsumer(): Consumer {
    const { kafka, sessionTimeoutMs } = this.options;
    return kafka.consumer({
      groupId: this.subscription.groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: sessionTimeoutMs,
      heartbeatInterval: sessionTimeoutMs / heartbeatsPerSession,
      maxWaitTimeInMs: fetchWaitMs,
      maxBytesPerPartition: 256 * 1024,
      allowAutoTopicCreation: false,
      retry: { ...fewRetries, restartOnFailure: async () => false },
    });
  }

  private endOf(consumer: Consumer): { error: Promise<Error | undefined>; forget: () => void } {
    const { CRASH, HEARTBEAT, REBALANCING } = consumer.events;
    const startedMs = performance.now();
    const hangTimeoutMs = sessionsUntilHanging * this.options.sessionTimeoutMs;
    let forget = (): void => undefined;
    const error = new Promise<Error | undefined>((resolve) => {
      const onStop = (): void => resolve(undefined);
      this.stopping.signal.addEventListener('abort', onStop);
      const watch = setInterval(() => {
        const silentMs = performance.now() - Math.max(this.lastContactMs, startedMs);
        if (silentMs > hangTimeoutMs) resolve(new Error(`no contact for ${Math.round(silentMs)} ms`));
      }, 1_000);
      consumer.on(CRASH, ({ payload }) => resolve(payload.error));
      consumer.on(HEARTBEAT, () => this.recordContact());
      consumer.on(REBALANCING, () => this.subscription.onRebalancing());
      forget = () => {
        clearInterval(watch);
        this.stopping.signal.removeEventListener('abort', onStop);
      };
    });
    return { error, forget };
  }

  private joined({ payload }: ConsumerGroupJoinEvent): void {
    const { topic, groupId } = this.subscription;
    const partitions = payload.memberAssignment[topic] ?? [];
    this.recordContact();
    this.isJoined = true;
    this.lastError = undefined;
    this.options.log.info({ topic, groupId, partitions }, 'Joined a consumer group');
    this.subscription.onJoined(partitions);
  }

  private recordContact(): void {
    this.lastContactMs = performance.now();
  }

  private reportLost(error: Error): void {
    const { topic } = this.subscription;
    this.lost = new Error(`The consumer of ${topic} is lost: ${error.message}`, { cause: error });
    this.options.log.error({ topic, err: error }, 'A Kafka consumer is lost');
    // Before the first join, `start` rejects with the error.
    if (this.isJoined) this.subscription.onLost(this.lost);
  }
}

/** An outage of hours leads to a few log lines. */
function isPowerOfTwo(tries: number): boolean {
  return (tries & (tries - 1)) === 0;
}

/** A client that hangs must not delay its replacement. */
async function disconnect(consumer: Consumer): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, stopTimeoutMs)));
  await Promise.race([consumer.disconnect().catch(() => undefined), late]);
  clearTimeout(timer);
}
