import type {
  AllEventsQuery,
  EventPage,
  EventStore,
  EventToAppend,
  Position,
  RecordedEvent,
} from '@florin/event-sourcing';

/** The fault of one append. After a crash the calling process does nothing more. */
export type StoreFault = 'fails' | 'storesThenFails' | 'crashes' | 'storesThenCrashes';

/** The store as one process sees it. */
export class FaultyStore implements EventStore {
  readonly faults: (StoreFault | 'none')[] = [];
  hasCrashed = false;

  constructor(
    private readonly store: EventStore,
    private readonly onCrash: () => void = () => undefined,
  ) {}

  async append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    await this.suspendIfCrashed();
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'fails') throw new Error('The store cannot be reached');
    if (fault === 'crashes') await this.crash();
    await this.store.append(stream, expectedRevision, events);
    if (fault === 'storesThenFails') throw new Error('The connection broke before the response');
    if (fault === 'storesThenCrashes') await this.crash();
  }

  async *readStream(stream: string, fromRevision?: number): AsyncGenerator<readonly RecordedEvent[]> {
    await this.suspendIfCrashed();
    yield* this.store.readStream(stream, fromRevision);
  }

  readAll(query: AllEventsQuery): Promise<EventPage> {
    return this.store.readAll(query);
  }

  head(): Promise<Position> {
    return this.store.head();
  }

  subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncIterable<EventPage> {
    return this.store.subscribe(query, signal);
  }

  async crash(): Promise<void> {
    this.hasCrashed = true;
    this.onCrash();
    await this.suspendIfCrashed();
  }

  /** A crashed process never continues. */
  private async suspendIfCrashed(): Promise<void> {
    if (this.hasCrashed) await new Promise(() => undefined);
  }
}
