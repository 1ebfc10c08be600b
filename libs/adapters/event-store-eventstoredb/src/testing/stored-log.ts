import { ConditionVariable } from '@florin/event-sourcing';
import { status } from '@grpc/grpc-js';
import { Refusal } from './refusal';

/** An event to append. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface StoredEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: number;
  /** Offset of its record in the log: both the commit and the prepare position of a real server. */
  readonly position: bigint;
}

export type AppendOutcome =
  | { readonly kind: 'stored'; readonly revision: number; readonly position: bigint }
  | { readonly kind: 'wrong_revision'; readonly current: number }
  | { readonly kind: 'too_large' };

/** A real log starts with a record that is not an event, so no event is at position 0. */
const firstPosition = 200n;
const recordOverhead = 120;
/** The default limit of a real server for one append. */
export const maximumAppendSize = 1_048_576;

/** The log of a server: events of all streams in one order, at positions that are byte offsets and thus have gaps. */
export class StoredLog {
  private readonly all: StoredEvent[] = [];
  private readonly streams = new Map<string, StoredEvent[]>();
  private readonly waiting = new ConditionVariable();
  private end = firstPosition;
  private isFinished = false;

  constructor(history: readonly StoredEvent[] = []) {
    for (const event of history) this.record(event);
  }

  stream(name: string): readonly StoredEvent[] | undefined {
    return this.streams.get(name);
  }

  /** The events from a position, inclusive. */
  *from(position: bigint): Generator<StoredEvent> {
    for (let index = this.indexOf(position); index < this.all.length; index++) yield this.all[index]!;
  }

  /** All events, newest first. */
  *backwards(): Generator<StoredEvent> {
    for (let index = this.all.length - 1; index >= 0; index--) yield this.all[index]!;
  }

  /**
   * The check of a real server: the stream is at the expected revision, or the same events already follow it. The
   * expected revision of a new stream is -1.
   */
  append(stream: string, expected: number, events: readonly ProposedEvent[]): AppendOutcome {
    const size = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    if (size > maximumAppendSize) return { kind: 'too_large' };
    if (this.isFinished) throw new Refusal(status.UNAVAILABLE, 'The server is stopped');
    const stored = this.streams.get(stream) ?? [];
    const current = stored.length - 1;
    if (events.length === 0 && expected === current) return { kind: 'stored', revision: current, position: this.end };
    const repeated = stored.slice(expected + 1, expected + 1 + events.length);
    if (events.length > 0 && events.every(({ id }, index) => repeated[index]?.id === id))
      return storedAs(repeated.at(-1)!);
    if (expected !== current) return { kind: 'wrong_revision', current };
    events.forEach((event, index) =>
      this.record({ ...event, stream, revision: current + 1 + index, position: this.end }),
    );
    this.waiting.notifyAll();
    return storedAs(this.all.at(-1)!);
  }

  /** Rejects further appends, and returns all events. */
  finish(): readonly StoredEvent[] {
    this.isFinished = true;
    return this.all;
  }

  /** Resolves when there is an event at or after the position, or the signal aborts. */
  async reaches(position: bigint, signal: AbortSignal): Promise<void> {
    if (this.indexOf(position) === this.all.length) await this.waiting.wait(signal);
  }

  private record(event: StoredEvent): void {
    const stream = this.streams.get(event.stream);
    if (stream === undefined) this.streams.set(event.stream, [event]);
    else stream.push(event);
    this.all.push(event);
    this.end = event.position + BigInt(recordOverhead + event.data.length + event.metadata.length);
  }

  /** Of the first event at or after the position. */
  private indexOf(position: bigint): number {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.all[middle]!.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function storedAs({ revision, position }: StoredEvent): AppendOutcome {
  return { kind: 'stored', revision, position };
}
