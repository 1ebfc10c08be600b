import {
  type Backoff,
  type EventPage,
  type LogTail,
  type Position,
  type RecordedEvent,
  ConditionVariable,
} from '@florin/event-sourcing';
import { isOf } from './event-reader';

export interface LiveTailOptions {
  /** Delivers what comes after a position until the signal aborts; rejects when it breaks. */
  readonly subscribe: (after: Position, handlers: TailHandlers, signal: AbortSignal) => Promise<void>;
  /** Tells a broken connection, which is renewed, from trouble that would only come again. */
  readonly mayPass: (error: unknown) => boolean;
  readonly backoff: Backoff;
  /** How often in a row a subscription may fail to come about before those who wait are told. */
  readonly reconnects: number;
  readonly maxEvents: number;
  readonly maxCharacters: number;
}

export interface TailHandlers {
  readonly onOpen: () => void;
  readonly onEvent: (event: RecordedEvent) => void;
}

/**
 * The newest events, in memory, for all the subscriptions of this process that have caught up: one subscription to the
 * server feeds them all. It carries every category, because only so do those that wait for a rare one learn at once how
 * far the log has moved. It holds the stretch (`start`, `end`] without gaps, and outlives the connections it comes by.
 */
export class LiveTail implements LogTail {
  private readonly ending = new AbortController();
  private readonly waiting = new ConditionVariable();
  private start: Position | undefined;
  private end: Position = 0n;
  private events: RecordedEvent[] = [];
  private characters = 0;
  private failures = 0;
  private isWaking = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: LiveTailOptions) {}

  /** Begins at a position that is known to have been the end, unless it runs already. */
  follow(position: Position): void {
    if (this.start !== undefined || this.ending.signal.aborted) return;
    this.start = position;
    this.end = position;
    this.failures = 0;
    this.running = this.run();
  }

  /** Whether somebody who has read up to there can go on from here. */
  covers(after: Position): boolean {
    return this.start !== undefined && after >= this.start;
  }

  /** What comes after a position that is covered, or nothing when that is the end. */
  page(after: Position, limit: number, categories: readonly string[] | undefined): EventPage | undefined {
    if (after >= this.end) return undefined;
    const isWanted = isOf(categories);
    const found: RecordedEvent[] = [];
    let readTo = after;
    for (let index = this.indexAfter(after); index < this.events.length && found.length < limit; index++) {
      const event = this.events[index]!;
      if (isWanted(event)) found.push(event);
      readTo = event.position;
    }
    return { events: found, readTo, isLast: readTo === this.end };
  }

  /** Resolves when there is something after the position, or the signal aborts; rejects when the server stays away. */
  async moved(after: Position, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.end > after) return;
    await this.waiting.wait(signal);
  }

  async close(): Promise<void> {
    this.ending.abort();
    await this.running;
    this.stop(new Error('The event store is closed'));
  }

  private async run(): Promise<void> {
    const { subscribe, mayPass, backoff, reconnects } = this.options;
    const { signal } = this.ending;
    const handlers = { onOpen: () => (this.failures = 0), onEvent: (event: RecordedEvent) => this.add(event) };
    while (!signal.aborted) {
      try {
        await subscribe(this.end, handlers, signal);
      } catch (error) {
        this.failures += 1;
        if (this.failures > reconnects || !mayPass(error)) return this.stop(error);
        await backoff.wait(this.failures, signal);
      }
    }
  }

  /** Whoever runs a subscription decides when to try again, and then begins by reading on from where it was. */
  private stop(error: unknown): void {
    this.start = undefined;
    this.events = [];
    this.characters = 0;
    this.waiting.notifyAll(error);
  }

  private add(event: RecordedEvent): void {
    if (event.position <= this.end) return;
    this.events.push(event);
    this.end = event.position;
    this.characters += sizeOf(event);
    while (this.events.length > this.options.maxEvents || this.characters > this.options.maxCharacters)
      this.dropOldest();
    this.wakeSoon();
  }

  /** A good part at a time, because taking the first element off a long array moves all the others. */
  private dropOldest(): void {
    const dropped = this.events.splice(0, Math.ceil(this.events.length / 4));
    this.start = dropped.at(-1)!.position;
    this.characters -= dropped.reduce((sum, event) => sum + sizeOf(event), 0);
  }

  /** At the end of the turn, so that events that came together are worked on together. */
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
