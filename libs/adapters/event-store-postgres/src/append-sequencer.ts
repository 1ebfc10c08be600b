import { type Backoff, type EventToAppend, type Position, RevisionConflict } from '@florin/event-sourcing';
import { EventStoreOverloaded, isRevisionClash } from './append-failures';
import type { Announcements } from './announcements';
import { AppendQueue } from './append-queue';
import type { Judgement } from './clashing-appends';
import type { KnownRevisions } from './known-revisions';
import type { PendingAppend } from './pending-append';
import type { WriteConnection } from './write-connection';

export interface SequencerOptions {
  readonly connections: readonly WriteConnection[];
  readonly known: KnownRevisions;
  readonly judge: (appends: readonly PendingAppend[]) => Promise<Judgement[]>;
  /** Told of every batch as soon as it is durable. */
  readonly onAppended: (batch: readonly PendingAppend[], lastPosition: Position) => void;
  readonly announcements: Announcements;
  readonly backoff: Backoff;
  readonly maxBatchEvents: number;
  readonly maxWaitingAppends: number;
}

/** So many are a batch worth sending: the server should not wait for whatever else this turn has to do. */
const eagerEvents = 8;

/**
 * Turns many appends at the same moment into few batches: whatever arrives while the connections are busy goes out
 * together as soon as one of them is free. No timer is involved, and every caller gets an outcome of its own.
 */
export class AppendSequencer {
  private readonly queue = new AppendQueue();
  private readonly idle: WriteConnection[];
  private readonly closing = new AbortController();
  private flushScheduled = false;
  private failedConnects = 0;
  private onDrained: () => void = () => undefined;

  constructor(private readonly options: SequencerOptions) {
    this.idle = [...options.connections];
  }

  append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    if (this.closing.signal.aborted) return Promise.reject(new Error('The event store is closed; nothing was stored'));
    if (this.queue.size >= this.options.maxWaitingAppends) return Promise.reject(new EventStoreOverloaded());
    return new Promise((resolve, reject) => {
      this.queue.put({ stream, expectedRevision, events, resolve, reject });
      if (this.queue.readyEvents >= eagerEvents) this.flush();
      else this.scheduleFlush();
    });
  }

  /** Finishes everything that was accepted. */
  async close(): Promise<void> {
    this.closing.abort();
    if (this.queue.size > 0) await new Promise<void>((resolve) => (this.onDrained = resolve));
    await Promise.all(this.options.connections.map((connection) => connection.disconnect()));
  }

  /** Waits for the end of this turn of the event loop, so that all the appends it brings forth share a batch. */
  private scheduleFlush(): void {
    if (this.flushScheduled) return;
    this.flushScheduled = true;
    setImmediate(() => {
      this.flushScheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    while (this.queue.hasReady && this.idle.length > 0) {
      void this.write(this.idle.pop()!, this.queue.take(this.options.maxBatchEvents));
    }
  }

  private async write(connection: WriteConnection, batch: readonly PendingAppend[]): Promise<void> {
    try {
      await connection.connect();
      this.failedConnects = 0;
    } catch (error) {
      await this.giveUp(batch, error);
      return this.release(connection);
    }
    const [overtaken, hopeful] = this.partition(batch);
    if (overtaken.length > 0) void this.settleClash(overtaken);
    if (hopeful.length > 0) await this.store(connection, hopeful);
    this.release(connection);
  }

  private release(connection: WriteConnection): void {
    this.idle.push(connection);
    this.flush();
  }

  /** While the database cannot be reached nobody is kept waiting longer than one pause and one attempt. */
  private async giveUp(batch: readonly PendingAppend[], error: unknown): Promise<void> {
    this.failedConnects += 1;
    this.fail(batch, error);
    while (this.queue.hasReady) this.fail(this.queue.take(Infinity), error);
    await this.options.backoff.wait(this.failedConnects, this.closing.signal);
  }

  /** Appends to streams that are known to have gone on would only make the whole batch fail. */
  private partition(batch: readonly PendingAppend[]): [PendingAppend[], PendingAppend[]] {
    const overtaken: PendingAppend[] = [];
    const hopeful: PendingAppend[] = [];
    for (const append of batch) {
      const known = this.options.known.get(append.stream) ?? append.expectedRevision;
      (known > append.expectedRevision ? overtaken : hopeful).push(append);
    }
    return [overtaken, hopeful];
  }

  private async store(connection: WriteConnection, batch: readonly PendingAppend[]): Promise<void> {
    const { announcements } = this.options;
    try {
      const announced = announcements.isDue();
      const lastPosition = await connection.append(batch, announced);
      if (!announced) announcements.owe();
      for (const { stream, expectedRevision, events } of batch) {
        this.options.known.learn(stream, expectedRevision + events.length);
      }
      this.options.onAppended(batch, lastPosition);
      for (const append of batch) this.settle(append, append.resolve);
    } catch (error) {
      if (isRevisionClash(error)) void this.settleClash(batch);
      else this.fail(batch, error);
    }
  }

  /** Gives those that clash their outcome and lets the others, whom they had dragged along, go first again. */
  private async settleClash(batch: readonly PendingAppend[]): Promise<void> {
    const judgements = await this.options.judge(batch).catch((error: unknown) => {
      this.fail(batch, error);
      return [];
    });
    for (const { append, verdict, revision } of judgements) {
      this.options.known.learn(append.stream, revision);
      if (verdict === 'stored') this.settle(append, append.resolve);
      if (verdict === 'conflict') this.fail([append], new RevisionConflict(append.stream, append.expectedRevision));
    }
    this.queue.putBack(judgements.filter(({ verdict }) => verdict === 'clear').map(({ append }) => append));
    this.flush();
  }

  private fail(appends: readonly PendingAppend[], error: unknown): void {
    for (const append of appends) this.settle(append, () => append.reject(error));
  }

  private settle(append: PendingAppend, answer: () => void): void {
    this.queue.settled(append);
    answer();
    if (this.queue.size === 0) this.onDrained();
  }
}
