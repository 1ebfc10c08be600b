import type { SubscriptionLog } from '@florin/event-sourcing';
import type { KafkaMessage } from 'kafkajs';
import { PartitionWindow } from './partition-window';
import { SupervisedConsumer, type SupervisionOptions } from './supervised-consumer';
import type { Topics } from './topics';

export interface Delivery {
  readonly context: string;
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
  /** Aborted when retrying this delivery is pointless because the command is, or will be, redelivered. */
  readonly signal: AbortSignal;
}

export interface CommandConsumerOptions extends SupervisionOptions {
  readonly context: string;
  readonly topics: Topics;
  readonly partitions: number;
  readonly maxUnfinished: number;
  readonly log: SubscriptionLog;
  readonly onLost: (error: Error) => void;
  /**
   * Passes the command to its handler before it returns, which preserves the order. Resolves to whether the command is
   * finished; an unfinished one is redelivered. Never rejects.
   */
  readonly handle: (delivery: Delivery) => Promise<boolean>;
}

/** After a crash, the next owner handles at most this much a second time. */
const commitIntervalMs = 100;

/**
 * Reads the commands of one context. It hands a command over without waiting for earlier ones, and commits the offset
 * below which all commands are finished. A crash therefore repeats commands and loses none.
 */
export class CommandConsumer {
  private readonly topic: string;
  private readonly consumer: SupervisedConsumer;
  private readonly underWay = new Set<Promise<void>>();
  private windows = new Map<number, PartitionWindow>();
  private committing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isClosing = false;
  private couldCommit = true;

  constructor(private readonly options: CommandConsumerOptions) {
    const { context, topics } = options;
    this.topic = topics.commandsOf(context);
    const prepare = (): Promise<void> => {
      topics.forget(context);
      return topics.ensure(context);
    };
    this.consumer = new SupervisedConsumer(
      {
        topic: this.topic,
        groupId: topics.groupOf(context),
        concurrentPartitions: options.partitions,
        prepare,
        onJoined: (partitions) => this.own(partitions),
        onRebalancing: () => void this.commit(),
        onMessages: (partition, messages) => this.handOver(partition, messages),
        onLost: options.onLost,
      },
      options,
    );
  }

  async start(): Promise<void> {
    await this.consumer.start();
    this.timer = setInterval(() => void this.commit(), commitIntervalMs);
  }

  status(): true | string {
    return this.consumer.status();
  }

  /**
   * Accepts no more commands and waits for those in progress. Commands that wait for a retry are left to the next
   * owner.
   */
  async drain(): Promise<void> {
    this.isClosing = true;
    for (const window of this.windows.values()) window.abandon();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.committing;
    await this.commit();
    await this.consumer.stop();
  }

  private own(partitions: readonly number[]): void {
    const before = this.windows;
    this.windows = new Map(partitions.map((partition) => [partition, before.get(partition) ?? new PartitionWindow()]));
    for (const [partition, window] of before) {
      if (this.windows.has(partition)) window.redeliver();
      else window.abandon();
    }
    this.consumer.resume(partitions);
  }

  private handOver(partition: number, messages: readonly KafkaMessage[]): void {
    const window = this.windows.get(partition);
    // A skipped message is not committed, so the next owner of the partition receives it again.
    if (window === undefined || this.isClosing) return;
    const { context } = this.options;
    for (const message of messages) {
      const offset = Number(message.offset);
      window.add(offset);
      const delivery = { context, topic: this.topic, partition, message, signal: window.signal };
      const work: Promise<void> = this.options.handle(delivery).then((isFinished) => {
        this.underWay.delete(work);
        if (isFinished) this.finish(partition, window, offset);
      });
      this.underWay.add(work);
    }
    if (window.size < this.options.maxUnfinished || window.isPaused) return;
    window.isPaused = true;
    this.consumer.pause(partition);
  }

  private finish(partition: number, window: PartitionWindow, offset: number): void {
    window.finish(offset);
    if (!window.isPaused || window.size > this.options.maxUnfinished / 2) return;
    window.isPaused = false;
    if (this.windows.get(partition) === window) this.consumer.resume([partition]);
  }

  /** Never rejects: a failed commit is retried with the next one, or the commands are delivered twice. */
  private commit(): Promise<void> {
    this.committing ??= this.commitOnce().finally(() => (this.committing = undefined));
    return this.committing;
  }

  private async commitOnce(): Promise<void> {
    const offsets = new Map<number, number>();
    for (const [partition, window] of this.windows) {
      const offset = window.offsetToCommit();
      if (offset !== undefined) offsets.set(partition, offset);
    }
    if (offsets.size === 0) return;
    const { windows } = this;
    try {
      await this.consumer.commit(offsets);
      for (const [partition, offset] of offsets) windows.get(partition)?.markCommitted(offset);
      this.couldCommit = true;
    } catch (error) {
      const details = { topic: this.topic, reason: error instanceof Error ? error.message : error };
      if (this.couldCommit) this.options.log.info(details, 'Could not commit the handled commands; retrying');
      this.couldCommit = false;
    }
  }
}
