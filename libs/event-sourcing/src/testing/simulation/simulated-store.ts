import type {
  AllEventsQuery,
  EventPage,
  EventStore,
  EventToAppend,
  Position,
  RecordedEvent,
} from '../../ports/event-store.port';

export interface StoreFaults {
  /** Resolves when the scheduler runs the step; never after a crash of the replica. */
  readonly step: () => Promise<void>;
  /** Whether the replica crashes right before, or right after, this append. */
  readonly crashes: (when: 'before' | 'after') => boolean;
  /** Whether this append fails before it reaches the store. */
  readonly fails: () => boolean;
}

/** The shared store as one replica sees it: every access is a step, and a crashed replica reaches nothing. */
export class SimulatedStore implements EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly faults: StoreFaults,
  ) {}

  async append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    const { step, crashes, fails } = this.faults;
    await step();
    if (fails()) throw new Error('The connection was lost before the append');
    if (crashes('before')) return pendingForever();
    await this.store.append(stream, expectedRevision, events);
    if (crashes('after')) return pendingForever();
    await step();
  }

  async *readStream(stream: string, fromRevision?: number): AsyncGenerator<readonly RecordedEvent[]> {
    await this.faults.step();
    yield* this.store.readStream(stream, fromRevision);
  }

  async readAll(query: AllEventsQuery): Promise<EventPage> {
    await this.faults.step();
    return this.store.readAll(query);
  }

  head(): Promise<Position> {
    return this.store.head();
  }

  async *subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncGenerator<EventPage> {
    for await (const page of this.store.subscribe(query, signal)) {
      await this.faults.step();
      yield page;
    }
  }
}

export function pendingForever<Value>(): Promise<Value> {
  return new Promise(() => undefined);
}
