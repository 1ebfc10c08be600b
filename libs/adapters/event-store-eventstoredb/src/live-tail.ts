import {
  type Backoff,
  type EventPage,
  isInCategory,
  type LogTail,
  type Position,
  type RecordedEvent,
  ConditionVariable,
  noStream,
} from '@florin/event-sourcing';

import { SubscriptionDropped } from './append-failures';
import { isOwn, type ServerEvent } from './server-event';
import type { RecentEvents } from './stream-ends';

export interface LiveTailOptions {
  /** Delivers the events after a position until the signal aborts; rejects when the call breaks. */
  readonly subscribe: (after: Position, handlers: TailHandlers, signal: AbortSignal) => Promise<void>;
  /** Called with a position of the log and the newest event up to there. */
  readonly onPassed: (to: Position, newest: Position) => void;
  /** Whether the error is a broken connection, which is renewed, or a permanent failure. */
  readonly isTransient: (error: unknown) => boolean;
  readonly backoff: Backoff;
  /** How many consecutive times the subscription may fail before waiting subscriptions are rejected. */
  readonly reconnects: number;
  readonly maxEvents: number;
  readonly maxCharacters: number;
}

export interface TailHandlers {
  readonly onOpen: () => void;
  /** Called now and then with a position up to which all events were delivered. */
  readonly onCheckpoint: (position: Position) => void;
  readonly onEvent: (event: ServerEvent) => void;
}

/**
 * The newest events in memory, for all subscriptions of this process that have caught up: one subscription to the
 * server feeds all of them. It includes every category, so that a subscription to a rare one knows immediately how far
 * the log has grown. It covers the range (`start`, `end`] without gaps, across reconnects.
 */
export class LiveTail implements LogTail, RecentEvents {
  private readonly ending = new AbortController();
  private readonly waiting = new ConditionVariable();
  private start: Position | undefined;
  private end: Position = 0n;
  private events: RecordedEvent[] = [];
  private readonly revisions = new Map<string, number>();
  private characters = 0;
  private failures = 0;
  private isWaking = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: LiveTailOptions) {}

  /** Starts at a position that is known to have been the head, unless it runs already. */
  follow(position: Position): void {
    if (this.start !== undefined || this.ending.signal.aborted) return;
    this.start = position;
    this.end = position;
    this.failures = 0;
    this.running = this.run();
  }

  /** Whether a reader at this position can continue here. */
  covers(after: Position): boolean {
    return this.start !== undefined && after >= this.start;
  }

  /** The next events after a covered position, or undefined at the end. */
  page(after: Position, limit: number, categories: readonly string[] | undefined): EventPage | undefined {
    if (after >= this.end) return undefined;
    const found: RecordedEvent[] = [];
    let readTo = after;
    for (let index = this.indexAfter(after); index < this.events.length && found.length < limit; index++) {
      const event = this.events[index]!;
      if (isInCategory(event.stream, categories)) found.push(event);
      readTo = event.position;
    }
    return { events: found, readTo, isLast: readTo === this.end };
  }

  /** Resolves when events exist after the position or the signal aborts; rejects when the server stays unreachable. */
  async waitForEvents(after: Position, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.end > after) return;
    await this.waiting.wait(signal);
  }

  async reaches(position: Position, withinMs: number): Promise<boolean> {
    const hasReached = (): boolean => this.start !== undefined && this.end >= position;
    if (hasReached()) return true;
    const signal = AbortSignal.timeout(withinMs);
    try {
      while (!hasReached() && !signal.aborted) await this.waiting.wait(signal);
    } catch {
      // The subscription ended, and nothing is in memory.
    }
    return hasReached();
  }

  newestRevision(stream: string): number {
    return this.revisions.get(stream) ?? noStream;
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.running;
    this.stop(new Error('The event store is closed'));
  }

  private async run(): Promise<void> {
    const { subscribe, isTransient, backoff, reconnects } = this.options;
    const { signal } = this.ending;
    const handlers = {
      onOpen: () => (this.failures = 0),
      onEvent: (event: ServerEvent) => this.add(event),
      onCheckpoint: (position: Position) => this.options.onPassed(position, this.end),
    };
    while (!signal.aborted) {
      const { end } = this;
      try {
        await subscribe(end, handlers, signal);
      } catch (error) {
        if (error instanceof SubscriptionDropped && this.end > end) continue;
        this.failures += 1;
        if (this.failures > reconnects || !isTransient(error)) return this.stop(error);
        await backoff.wait(this.failures, signal);
      }
    }
  }

  /** The runner of a subscription decides when to retry; it then reads on from its last position. */
  private stop(error: unknown): void {
    this.start = undefined;
    this.events = [];
    this.revisions.clear();
    this.characters = 0;
    this.waiting.notifyAll(error);
  }

  private add(event: ServerEvent): void {
    if (!isOwn(event) || event.position <= this.end) return;
    this.events.push(event);
    this.revisions.set(event.stream, event.revision);
    this.end = event.position;
    this.characters += sizeOf(event);
    while (this.events.length > this.options.maxEvents || this.characters > this.options.maxCharacters)
      this.dropOldest();
    this.wakeSoon();
  }

  /** Drops a quarter at a time, because removing the first element of a long array moves all others. */
  private dropOldest(): void {
    const dropped = this.events.splice(0, Math.ceil(this.events.length / 4));
    this.start = dropped.at(-1)!.position;
    for (const event of dropped) {
      this.characters -= sizeOf(event);
      if (this.revisions.get(event.stream) === event.revision) this.revisions.delete(event.stream);
    }
  }

  /** At the end of the turn, so that events that arrive together are processed together. */
  private wakeSoon(): void {
    if (this.isWaking) return;
    this.isWaking = true;
    setImmediate(() => {
      this.isWaking = false;
      this.waiting.notifyAll();
    });
  }

  private indexAfter(after: Position): number {
    let [low, high] = [0, this.events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle]!.position <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function sizeOf({ data, metadata }: RecordedEvent): number {
  return data.length + metadata.length;
}
