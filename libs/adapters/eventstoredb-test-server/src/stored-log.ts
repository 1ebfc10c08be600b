/** An event on its way in. */
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
  /** Where its record begins in the log. A real server calls it both the commit and the prepare position. */
  readonly position: bigint;
}

/** Everything that was ever stored: what a server hands over to the one that takes its place. */
export type History = readonly StoredEvent[];

export type ExpectedRevision = number | 'any' | 'no_stream' | 'stream_exists';

export type AppendOutcome =
  | { readonly kind: 'stored'; readonly revision: number; readonly position: bigint }
  | { readonly kind: 'wrong_revision'; readonly current: number };

/** A real log begins with a record that is no event, so that no event ever stands at position 0. */
const firstPosition = 200n;
const recordOverhead = 120;

/** Every so many appends the server writes an event of its own, as real ones do all the time. */
const appendsPerSystemEvent = 5;

/** The log of a server: events of all streams in one order, at positions that are offsets of bytes and thus have gaps. */
export class StoredLog {
  private readonly all: StoredEvent[] = [];
  private readonly streams = new Map<string, StoredEvent[]>();
  private readonly waiting = new Set<() => void>();
  private end = firstPosition;
  private appends = 0;

  constructor(history: History = []) {
    for (const event of history) this.record(event);
    if (history.length === 0) this.writeSystemEvent('$users', '$UserCreated');
  }

  get history(): History {
    return [...this.all];
  }

  stream(name: string): readonly StoredEvent[] | undefined {
    return this.streams.get(name);
  }

  /** The events from a position on, that one included. */
  from(position: bigint): readonly StoredEvent[] {
    return this.all.slice(this.indexOf(position));
  }

  /** The events before a position, that one excluded. */
  before(position: bigint): readonly StoredEvent[] {
    return this.all.slice(0, this.indexOf(position));
  }

  /** Only where a record begins, or the log ends, can reading begin. */
  isBoundary(position: bigint): boolean {
    return position === 0n || position === this.end || this.all[this.indexOf(position)]?.position === position;
  }

  /**
   * The check of a real server: the stream stands at the expected revision, or the very same events follow it already.
   * Nothing is looked for elsewhere.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): AppendOutcome {
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
    this.wakeAll();
    return last === undefined ? { kind: 'stored', revision: -1, position: this.end } : storedAs(last);
  }

  /** Resolves when there is an event at or after the position, or the signal aborts. */
  async reaches(position: bigint, signal: AbortSignal): Promise<void> {
    if (signal.aborted || (this.all.at(-1)?.position ?? -1n) >= position) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  get endPosition(): bigint {
    return this.end;
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

  private wakeAll(): void {
    for (const wake of [...this.waiting]) wake();
  }
}

function revisionOf(expected: ExpectedRevision, current: number): number {
  if (expected === 'no_stream') return -1;
  return typeof expected === 'number' ? expected : current;
}

function storedAs({ revision, position }: StoredEvent): AppendOutcome {
  return { kind: 'stored', revision, position };
}
