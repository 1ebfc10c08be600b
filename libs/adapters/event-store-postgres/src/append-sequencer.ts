import {
  type Backoff,
  EventStoreOverloaded,
  type EventToAppend,
  type Position,
  RevisionConflict,
} from '@florin/event-sourcing';
import { isRevisionConflict } from './revision-conflict';
import type { HeadNotifier } from './head-notifier';
import { AppendQueue } from './append-queue';
import type { ClassifiedAppend } from './conflicting-appends';
import type { KnownRevisions } from './known-revisions';
import type { PendingAppend } from './pending-append';
import type { WriteConnection } from './write-connection';

export interface SequencerOptions {
  readonly connections: readonly WriteConnection[];
  readonly known: KnownRevisions;
  readonly classify: (appends: readonly PendingAppend[]) => Promise<ClassifiedAppend[]>;
  /** Called for every batch as soon as it is durable. */
  readonly onAppended: (batch: readonly PendingAppend[], lastPosition: Position) => void;
  readonly notifier: HeadNotifier;
  readonly backoff: Backoff;
  readonly maxBatchEvents: number;
  readonly maxWaitingAppends: number;
}

/** From this size on a batch is sent at once, so that the server is busy while this turn adds more. */
const eagerEvents = 8;

/**
 * Combines concurrent appends into few batches: appends that arrive while all connections are busy are written together
 * as soon as one is free. It uses no timer, and every caller gets its own outcome.
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

  /** Finishes all accepted appends. */
  async close(): Promise<void> {
    this.closing.abort();
    if (this.queue.size > 0) await new Promise<void>((resolve) => (this.onDrained = resolve));
    await Promise.all(this.options.connections.map((connection) => connection.disconnect()));
  }

  /** Waits for the end of this event loop turn, so that all of its appends share a batch. */
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
      await this.failAll(batch, error);
      return this.release(connection);
    }
    const [outdated, current] = this.partition(batch);
    if (outdated.length > 0) void this.settleConflicts(outdated);
    if (current.length > 0) await this.store(connection, current);
    this.release(connection);
  }

  private release(connection: WriteConnection): void {
    this.idle.push(connection);
    this.flush();
  }

  /** While the database is unreachable, a caller waits at most for one pause and one attempt. */
  private async failAll(batch: readonly PendingAppend[], error: unknown): Promise<void> {
    this.failedConnects += 1;
    this.fail(batch, error);
    while (this.queue.hasReady) this.fail(this.queue.take(Infinity), error);
    await this.options.backoff.wait(this.failedConnects, this.closing.signal);
  }

  /** An append to a stream that is known to have grown would make the whole batch fail. */
  private partition(batch: readonly PendingAppend[]): [PendingAppend[], PendingAppend[]] {
    const outdated: PendingAppend[] = [];
    const current: PendingAppend[] = [];
    for (const append of batch) {
      const known = this.options.known.get(append.stream) ?? append.expectedRevision;
      (known > append.expectedRevision ? outdated : current).push(append);
    }
    return [outdated, current];
  }

  private async store(connection: WriteConnection, batch: readonly PendingAppend[]): Promise<void> {
    const { notifier } = this.options;
    try {
      const notifies = notifier.isDue();
      const lastPosition = await connection.append(batch, notifies);
      if (!notifies) notifier.notifyLater();
      for (const { stream, expectedRevision, events } of batch) {
        this.options.known.learn(stream, expectedRevision + events.length);
      }
      this.options.onAppended(batch, lastPosition);
      for (const append of batch) this.settle(append, append.resolve);
    } catch (error) {
      if (isRevisionConflict(error)) void this.settleConflicts(batch);
      else this.fail(batch, error);
    }
  }

  /** Settles the conflicting appends and puts the others of the failed batch back to the front. */
  private async settleConflicts(batch: readonly PendingAppend[]): Promise<void> {
    const classified = await this.options.classify(batch).catch((error: unknown) => {
      this.fail(batch, error);
      return [];
    });
    for (const { append, outcome, revision } of classified) {
      this.options.known.learn(append.stream, revision);
      if (outcome === 'stored') this.settle(append, append.resolve);
      if (outcome === 'conflict') this.fail([append], new RevisionConflict(append.stream, append.expectedRevision));
    }
    this.queue.putBack(classified.filter(({ outcome }) => outcome === 'clear').map(({ append }) => append));
    this.flush();
  }

  private fail(appends: readonly PendingAppend[], error: unknown): void {
    for (const append of appends) this.settle(append, () => append.reject(error));
  }

  private settle(append: PendingAppend, settleCaller: () => void): void {
    this.queue.settled(append);
    settleCaller();
    if (this.queue.size === 0) this.onDrained();
  }
}
