import {
  type AllEventsQuery,
  categoryOf,
  type EventPage,
  type EventStore,
  type EventToAppend,
  type Position,
  type RecordedEvent,
} from '@florin/event-sourcing';

/** Where a process dies: at its next append to a stream of this category, right before it is stored or right after. */
export interface CrashPoint {
  readonly category: string;
  readonly when: 'before' | 'after';
}

/** The store as one process sees it: once the process is dead, nothing more comes of what it does. */
export class CrashingStore implements EventStore {
  dead = false;
  death: CrashPoint | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly onDeath: () => void,
  ) {}

  async append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    this.live();
    const isLast = this.death?.category === categoryOf(stream) && events.length > 0;
    if (isLast && this.death?.when === 'before') this.die();
    await this.store.append(stream, expectedRevision, events);
    if (isLast) this.die();
  }

  async *readStream(stream: string, fromRevision?: number): AsyncIterable<readonly RecordedEvent[]> {
    this.live();
    yield* this.store.readStream(stream, fromRevision);
  }

  async readAll(query: AllEventsQuery): Promise<EventPage> {
    this.live();
    return this.store.readAll(query);
  }

  async head(): Promise<Position> {
    this.live();
    return this.store.head();
  }

  async *subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncIterable<EventPage> {
    this.live();
    yield* this.store.subscribe(query, signal);
  }

  private live(): void {
    if (this.dead) throw new Error('This process is dead');
  }

  private die(): never {
    this.dead = true;
    this.onDeath();
    throw new Error('The process dies here');
  }
}
