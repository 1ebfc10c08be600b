import {
  type AllEventsQuery,
  categoryOf,
  type EventPage,
  type EventStore,
  type EventToAppend,
  type Position,
  type RecordedEvent,
} from '@florin/event-sourcing';

/** Where a process crashes: at its next append to this category, right before or right after it is stored. */
export interface CrashPoint {
  readonly category: string;
  readonly when: 'before' | 'after';
}

/** The store of one process, which rejects all calls after a crash. */
export class CrashingStore implements EventStore {
  hasCrashed = false;
  crashPoint: CrashPoint | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly onCrash: () => void,
  ) {}

  async append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    this.assertRunning();
    const isLast = this.crashPoint?.category === categoryOf(stream) && events.length > 0;
    if (isLast && this.crashPoint?.when === 'before') this.crash();
    await this.store.append(stream, expectedRevision, events);
    if (isLast) this.crash();
  }

  async *readStream(stream: string, fromRevision?: number): AsyncIterable<readonly RecordedEvent[]> {
    this.assertRunning();
    yield* this.store.readStream(stream, fromRevision);
  }

  async readAll(query: AllEventsQuery): Promise<EventPage> {
    this.assertRunning();
    return this.store.readAll(query);
  }

  async head(): Promise<Position> {
    this.assertRunning();
    return this.store.head();
  }

  async *subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncIterable<EventPage> {
    this.assertRunning();
    yield* this.store.subscribe(query, signal);
  }

  private assertRunning(): void {
    if (this.hasCrashed) throw new Error('This process has crashed');
  }

  private crash(): never {
    this.hasCrashed = true;
    this.onCrash();
    throw new Error('The process crashes here');
  }
}
