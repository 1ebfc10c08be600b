import { beforeFirst, type EventStore, type RecordedEvent } from '@florin/event-sourcing';

export interface PastEvent {
  readonly stream: string;
  readonly revision: number;
  /** The place in the log. */
  readonly position: bigint;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** JSON. */
  readonly metadata: string;
  /** When it was recorded, by the clock of the recording process. */
  readonly at: string;
}

/** The parts of an event that the checks read. */
export type StoredEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'type' | 'data' | 'metadata'>;

/** The whole log in memory, parsed as plain JSON without the product's code. */
export class History {
  private constructor(
    private readonly streams: ReadonlyMap<string, readonly PastEvent[]>,
    readonly size: number,
  ) {}

  static of(events: readonly StoredEvent[]): History {
    const streams = new Map<string, PastEvent[]>();
    for (const [index, { stream, revision, type, data: json, metadata }] of events.entries()) {
      const { recordedAt: at } = JSON.parse(metadata) as { recordedAt: string };
      const data = JSON.parse(json) as Record<string, unknown>;
      const past = { stream, revision, position: BigInt(index + 1), type, data, metadata, at };
      const known = streams.get(stream);
      if (known === undefined) streams.set(stream, [past]);
      else known.push(past);
    }
    return new History(streams, events.length);
  }

  static async read(store: Pick<EventStore, 'head' | 'readAll'>): Promise<History> {
    const head = await store.head();
    const events: RecordedEvent[] = [];
    for (let after = beforeFirst; after < head;) {
      const page = await store.readAll({ after });
      events.push(...page.events);
      after = page.readTo;
    }
    return History.of(events);
  }

  *events(): Iterable<PastEvent> {
    for (const events of this.streams.values()) yield* events;
  }

  /** The name and the events of every stream in a category. */
  category(category: string): readonly (readonly [string, readonly PastEvent[]])[] {
    return [...this.streams].filter(([name]) => name.startsWith(`${category}-`));
  }
}

export function text(event: PastEvent, field: string): string {
  const value = event.data[field];
  if (typeof value !== 'string') throw new Error(`${event.type} in ${event.stream} has no text "${field}"`);
  return value;
}

/** The cents of an amount in an event. */
export function cents(amount: unknown): bigint {
  if (typeof amount !== 'string' || !/^-?\d+\.\d{2}$/.test(amount)) throw new Error(`Not an amount: ${String(amount)}`);
  return BigInt(amount.replace('.', ''));
}

export function dollars(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
