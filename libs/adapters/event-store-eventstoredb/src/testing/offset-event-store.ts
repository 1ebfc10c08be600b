import type {
  AllEventsQuery,
  EventPage,
  EventStore,
  EventToAppend,
  Position,
  RecordedEvent,
} from '@florin/event-sourcing';

/**
 * A store that starts at a given position. A real server cannot be emptied, but the contract starts with an
 * empty store. Only positions are shifted; everything else is the behavior of the store.
 */
export class OffsetEventStore implements EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly start: Position,
  ) {}

  append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    return this.store.append(stream, expectedRevision, events);
  }

  async *readStream(stream: string, fromRevision?: number): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of this.store.readStream(stream, fromRevision))
      yield page.map((event) => this.shifted(event));
  }

  async readAll(query: AllEventsQuery): Promise<EventPage> {
    return this.shiftedPage(await this.store.readAll({ ...query, after: query.after + this.start }));
  }

  async head(): Promise<Position> {
    return (await this.store.head()) - this.start;
  }

  async *subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncGenerator<EventPage> {
    const pages = this.store.subscribe({ ...query, after: query.after + this.start }, signal);
    for await (const page of pages) yield this.shiftedPage(page);
  }

  private shiftedPage({ events, readTo, isLast }: EventPage): EventPage {
    return { events: events.map((event) => this.shifted(event)), readTo: readTo - this.start, isLast };
  }

  private shifted(event: RecordedEvent): RecordedEvent {
    return { ...event, position: event.position - this.start };
  }
}
