import {
  type EventPage,
  isInCategory,
  type LogTail,
  type Position,
  type RecordedEvent,
  ConditionVariable,
} from '@florin/event-sourcing';

export interface LiveTailOptions {
  /** Reads the next events after a position, of all categories. */
  readonly read: (after: Position) => Promise<EventPage>;
  readonly maxEvents: number;
  readonly maxCharacters: number;
}

interface Segment {
  readonly events: readonly RecordedEvent[];
  readonly characters: number;
}

/**
 * The newest events in memory, for all subscriptions of this process that have caught up. Own appends are added when
 * they are durable; events of other writers are read once for all subscriptions. It covers the range (`start`, `end`]
 * without gaps, and all of its events are committed.
 */
export class LiveTail implements LogTail {
  private start: Position | undefined;
  private end: Position = 0n;
  private announced: Position = 0n;
  private readonly segments: Segment[] = [];
  private events = 0;
  private characters = 0;
  /** Own batches that are durable before an earlier one is known to be. By first position. */
  private readonly outOfOrder = new Map<Position, readonly RecordedEvent[]>();
  private readonly waiting = new ConditionVariable();
  private reading = false;

  constructor(private readonly options: LiveTailOptions) {}

  get isFollowing(): boolean {
    return this.start !== undefined;
  }

  /** Starts at a position that is known to have been the head. */
  follow(position: Position): void {
    if (this.start === undefined) {
      this.start = position;
      this.end = position;
    }
    this.announce(position);
  }

  /** Whether a reader at this position can continue here. */
  covers(after: Position): boolean {
    return this.start !== undefined && after >= this.start;
  }

  /** The log is known to extend at least to this position. */
  announce(head: Position): void {
    if (head > this.announced) this.announced = head;
    if (this.isFollowing && this.announced > this.end && !this.reading) void this.readOn();
  }

  /** Adds durable events. They may be known already or arrive out of order. */
  extend(events: readonly RecordedEvent[]): void {
    const [first, last] = [events[0], events.at(-1)];
    if (!this.isFollowing || first === undefined || last === undefined || last.position <= this.end) return;
    if (last.position > this.announced) this.announced = last.position;
    if (first.position > this.end + 1n) {
      this.outOfOrder.set(first.position, events);
      return;
    }
    this.add(events.slice(Number(this.end + 1n - first.position)), last.position);
    const next = this.outOfOrder.get(this.end + 1n);
    if (next !== undefined) return this.extend(next);
    for (const [position] of this.outOfOrder) if (position <= this.end) this.outOfOrder.delete(position);
    this.waiting.notifyAll();
  }

  /** The next events after a covered position, or undefined at the end. */
  page(after: Position, limit: number, categories: readonly string[] | undefined): EventPage | undefined {
    if (after >= this.end) return undefined;
    const found: RecordedEvent[] = [];
    let readTo = after;
    for (let index = this.indexAfter(after); index < this.segments.length; index++) {
      for (const event of this.segments[index]!.events) {
        if (event.position <= readTo) continue;
        if (found.length === limit) return { events: found, readTo, isLast: false };
        if (isInCategory(event.stream, categories)) found.push(event);
        readTo = event.position;
      }
    }
    return { events: found, readTo, isLast: true };
  }

  /** Resolves when events exist after the position or the signal aborts; rejects when the store cannot be read. */
  async waitForEvents(after: Position, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.end > after) return;
    this.announce(after);
    await this.waiting.wait(signal);
  }

  /** Rejects all waiting subscriptions. Their runner decides when to retry. */
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
    this.segments.push({ events, characters });
    this.end = end;
    this.events += events.length;
    this.characters += characters;
    while (this.events > this.options.maxEvents || this.characters > this.options.maxCharacters) this.dropOldest();
  }

  private dropOldest(): void {
    const oldest = this.segments.shift()!;
    this.start = oldest.events.at(-1)!.position;
    this.events -= oldest.events.length;
    this.characters -= oldest.characters;
  }

  /** Searches backwards from the newest segment, because almost all readers are there. */
  private indexAfter(after: Position): number {
    let index = this.segments.length - 1;
    while (index > 0 && this.segments[index]!.events[0]!.position > after + 1n) index -= 1;
    return Math.max(index, 0);
  }
}
