import type {
  AllEventsQuery,
  EventPage,
  EventStore,
  EventToAppend,
  Position,
  RecordedEvent,
} from '../ports/event-store.port';

export interface StoreHooks {
  /** Resolves when it is this process's turn; never once the process is dead. */
  readonly turn: () => Promise<void>;
  /** Whether the process dies right before, or right after, this append. */
  readonly dies: (when: 'before' | 'after') => boolean;
  /** Whether this append is lost on its way; none is unless told. */
  readonly fails?: () => boolean;
}

/** The shared store as one process sees it: every access takes its turn, and a dead process reaches nothing. */
export class TurnBasedStore implements EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly hooks: StoreHooks,
  ) {}

  async append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    const { turn, dies, fails } = this.hooks;
    await turn();
    if (fails?.()) throw new Error('The connection was lost before the append');
    if (dies('before')) return never();
    await this.store.append(stream, expectedRevision, events);
    // An append that happened and that nobody knows of.
    if (dies('after')) return never();
    await turn();
  }

  async *readStream(stream: string, fromRevision?: number): AsyncGenerator<readonly RecordedEvent[]> {
    await this.hooks.turn();
    yield* this.store.readStream(stream, fromRevision);
  }

  async readAll(query: AllEventsQuery): Promise<EventPage> {
    await this.hooks.turn();
    return this.store.readAll(query);
  }

  head(): Promise<Position> {
    return this.store.head();
  }

  async *subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncGenerator<EventPage> {
    for await (const page of this.store.subscribe(query, signal)) {
      await this.hooks.turn();
      yield page;
    }
  }
}

export function never<Value>(): Promise<Value> {
  return new Promise(() => undefined);
}
