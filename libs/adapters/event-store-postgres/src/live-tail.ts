import {
  type EventPage,
  type LogTail,
  type Position,
  type RecordedEvent,
  ConditionVariable,
} from '@florin/event-sourcing';

export interface LiveTailOptions {
  /** Reads on after a position, without a filter. */
  readonly read: (after: Position) => Promise<EventPage>;
  readonly maxEvents: number;
  readonly maxCharacters: number;
}

interface Stretch {
  readonly events: readonly RecordedEvent[];
  readonly characters: number;
}

/**
 * The newest events, in memory, for all the subscriptions of this process that have caught up: own appends are put here
 * as they become durable, and what others append is read once, not once by every subscription.
 * It holds the stretch (`start`, `end`] without gaps; everything in it is committed.
 */
export class LiveTail implements LogTail {
  private start: Position | undefined;
  private end: Position = 0n;
  private announced: Position = 0n;
  private readonly stretches: Stretch[] = [];
  private events = 0;
  private characters = 0;
  /** Own batches whose turn has not come, because an earlier one is not known to be durable yet. By first position. */
  private readonly early = new Map<Position, readonly RecordedEvent[]>();
  private readonly waiting = new ConditionVariable();
  private reading = false;

  constructor(private readonly options: LiveTailOptions) {}

  get isFollowing(): boolean {
    return this.start !== undefined;
  }

  /** Begins at a position that is known to have been the end. */
  follow(position: Position): void {
    if (this.start === undefined) {
      this.start = position;
      this.end = position;
    }
    this.announce(position);
  }

  /** Whether somebody who has read up to there can go on from here. */
  covers(after: Position): boolean {
    return this.start !== undefined && after >= this.start;
  }

  /** The store is known to reach at least this far. */
  announce(head: Position): void {
    if (head > this.announced) this.announced = head;
    if (this.isFollowing && this.announced > this.end && !this.reading) void this.readOn();
  }

  /** Takes in events that are durable. They may be known already, or come too early. */
  extend(events: readonly RecordedEvent[]): void {
    const [first, last] = [events[0], events.at(-1)];
    if (!this.isFollowing || first === undefined || last === undefined || last.position <= this.end) return;
    if (last.position > this.announced) this.announced = last.position;
    if (first.position > this.end + 1n) {
      this.early.set(first.position, events);
      return;
    }
    this.add(events.slice(Number(this.end + 1n - first.position)), last.position);
    const next = this.early.get(this.end + 1n);
    if (next !== undefined) return this.extend(next);
    for (const [position] of this.early) if (position <= this.end) this.early.delete(position);
    this.waiting.notifyAll();
  }

  /** What comes after a position that is covered, or nothing when that is the end. */
  page(after: Position, limit: number, categories: readonly string[] | undefined): EventPage | undefined {
    if (after >= this.end) return undefined;
    const found: RecordedEvent[] = [];
    let readTo = after;
    for (let index = this.indexAfter(after); index < this.stretches.length; index++) {
      for (const event of this.stretches[index]!.events) {
        if (event.position <= readTo) continue;
        if (found.length === limit) return { events: found, readTo, isLast: false };
        if (isOf(event.stream, categories)) found.push(event);
        readTo = event.position;
      }
    }
    return { events: found, readTo, isLast: true };
  }

  /** Resolves when there is something after the position, or the signal aborts; rejects when the store cannot be read. */
  async moved(after: Position, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.end > after) return;
    this.announce(after);
    await this.waiting.wait(signal);
  }

  /** Lets everybody know who waits: whoever runs a subscription decides when to try again. */
  fail(error: unknown): void {
    this.waiting.notifyAll(error);
  }

  private async readOn(): Promise<void> {
    this.reading = true;
    try {
      while (this.announced > this.end) {
        const before = this.end;
        this.extend((await this.options.read(before)).events);
        if (this.end === before) break;
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.reading = false;
    }
  }

  private add(events: readonly RecordedEvent[], end: Position): void {
    const characters = events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0);
    this.stretches.push({ events, characters });
    this.end = end;
    this.events += events.length;
    this.characters += characters;
    while (this.events > this.options.maxEvents || this.characters > this.options.maxCharacters) this.dropOldest();
  }

  private dropOldest(): void {
    const oldest = this.stretches.shift()!;
    this.start = oldest.events.at(-1)!.position;
    this.events -= oldest.events.length;
    this.characters -= oldest.characters;
  }

  /** Searched from the newest stretch backwards, because that is where nearly everybody reads. */
  private indexAfter(after: Position): number {
    let index = this.stretches.length - 1;
    while (index > 0 && this.stretches[index]!.events[0]!.position > after + 1n) index -= 1;
    return Math.max(index, 0);
  }
}

/** The same as comparing `categoryOf` the stream, without making a text for every event. */
function isOf(stream: string, categories: readonly string[] | undefined): boolean {
  if (categories === undefined) return true;
  return categories.some((category) => {
    return stream.startsWith(category) && (stream.length === category.length || stream[category.length] === '-');
  });
}
