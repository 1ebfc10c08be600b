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

/** All stored events, which a replacement server can start with. */
export type StoredEvents = readonly StoredEvent[];

export type ExpectedRevision = number | 'any' | 'no_stream' | 'stream_exists';

export type AppendOutcome =
  | { readonly kind: 'stored'; readonly revision: number; readonly position: bigint }
  | { readonly kind: 'wrong_revision'; readonly current: number };

/** A real log starts with a record that is not an event, so no event is at position 0. */
const firstPosition = 200n;
const recordOverhead = 120;

/** After this many appends the server writes a system event, as real servers do. */
const appendsPerSystemEvent = 5;

/**
 * The log of a server: events of all streams in one order, at positions that are byte offsets and thus have gaps.
 * Appends are checked against all events; readers see only events that are in the journal, if there is one.
 */
export class StoredLog {
  private readonly all: StoredEvent[] = [];
  private readonly streams = new Map<string, StoredEvent[]>();
  private readonly waiting = new ConditionVariable();
  private end = firstPosition;
  private appends = 0;
  /** The number of events handed to the journal, and the number visible to readers. */
  private written: number;
  private visible: number;
  private isFinished = false;

  constructor(
    history: StoredEvents = [],
    private readonly journal?: { write(events: readonly StoredEvent[]): Promise<void> },
  ) {
    for (const event of history) this.record(event);
    this.written = history.length;
    if (history.length === 0) this.writeSystemEvent('$users', '$UserCreated');
    this.visible = this.all.length;
  }

  stream(name: string): readonly StoredEvent[] | undefined {
    const stream = this.streams.get(name);
    if (stream === undefined || stream.at(-1)!.position < this.endPosition) return stream;
    const readable = stream.filter(({ position }) => position < this.endPosition);
    return readable.length === 0 ? undefined : readable;
  }

  /** The events from a position, inclusive. */
  *from(position: bigint): Generator<StoredEvent> {
    for (let index = this.indexOf(position); index < this.visible; index++) yield this.all[index]!;
  }

  /** The events before a position, exclusive, newest first. */
  *before(position: bigint): Generator<StoredEvent> {
    for (let index = Math.min(this.indexOf(position), this.visible) - 1; index >= 0; index--) yield this.all[index]!;
  }

  /** Whether a read can start here: at the start of a record or the end of the log. */
  isBoundary(position: bigint): boolean {
    return position === 0n || position === this.endPosition || this.all[this.indexOf(position)]?.position === position;
  }

  /** The end of the log as readers see it. */
  get endPosition(): bigint {
    return this.all[this.visible]?.position ?? this.end;
  }

  /** An outcome may depend on events that are not on disk yet, so it waits for them. */
  async append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<AppendOutcome> {
    if (this.isFinished) throw new Refusal(status.UNAVAILABLE, 'The server is stopped');
    const outcome = this.decide(stream, expected, events);
    const count = this.all.length;
    await this.save();
    this.show(count);
    return outcome;
  }

  /** Rejects further appends, and returns all events once they are on disk. */
  async finish(): Promise<StoredEvents> {
    this.isFinished = true;
    await this.save();
    return [...this.all];
  }

  /** Resolves when there is an event at or after the position, or the signal aborts. */
  async reaches(position: bigint, signal: AbortSignal): Promise<void> {
    if (this.all[this.visible - 1]!.position >= position) return;
    await this.waiting.wait(signal);
  }

  /**
   * The check of a real server: the stream is at the expected revision, or the same events already follow it. Other
   * positions are not checked.
   */
  private decide(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): AppendOutcome {
    const stored = this.streams.get(stream) ?? [];
    const current = stored.length - 1;
    const after = revisionOf(expected, current);
    const repeated = stored.slice(after + 1, after + 1 + events.length);
    if (events.length > 0 && events.every(({ id }, index) => repeated[index]?.id === id))
      return storedAs(repeated.at(-1)!);
    if (after !== current || (expected === 'stream_exists' && current < 0)) return { kind: 'wrong_revision', current };
    this.appends += 1;
    events.forEach((event, index) =>
      this.record({ ...event, stream, revision: current + 1 + index, position: this.end }),
    );
    if (this.appends % appendsPerSystemEvent === 0) this.writeSystemEvent('$stats-127.0.0.1:2113', '$statsCollected');
    const last = this.streams.get(stream)?.at(-1);
    return last === undefined ? { kind: 'stored', revision: -1, position: this.end } : storedAs(last);
  }

  private async save(): Promise<void> {
    const unwritten = this.all.slice(this.written);
    this.written = this.all.length;
    await this.journal?.write(unwritten);
  }

  private show(count: number): void {
    if (count <= this.visible) return;
    this.visible = count;
    this.waiting.notifyAll();
  }

  private writeSystemEvent(stream: string, type: string): void {
    const json = Buffer.from('{}');
    const revision = this.streams.get(stream)?.length ?? 0;
    const id = `00000000-0000-4000-8000-${String(this.all.length).padStart(12, '0')}`;
    const content = { id, type, contentType: 'application/json', data: json, metadata: json };
    this.record({ ...content, stream, revision, position: this.end });
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

function revisionOf(expected: ExpectedRevision, current: number): number {
  if (expected === 'no_stream') return -1;
  return typeof expected === 'number' ? expected : current;
}

function storedAs({ revision, position }: StoredEvent): AppendOutcome {
  return { kind: 'stored', revision, position };
}
