import {
  type AllEventsQuery,
  beforeFirst,
  categoryOf,
  type EventPage,
  type EventStore,
  type EventToAppend,
  type Position,
  PositionBeyondLog,
  type RecordedEvent,
  RevisionConflict,
} from '../ports/event-store.port';
import { ConditionVariable } from '../condition-variable';

/** Small, so that tested flows have streams of several pages. */
const streamPageSize = 100;
const defaultPageSize = 1_000;

/** The event store for end-to-end flows in tests: no clock, no timer, no randomness; every step is a microtask. */
export class InMemoryEventStore implements EventStore {
  readonly hasGaplessPositions = true;
  private readonly log: RecordedEvent[] = [];
  private readonly streams = new Map<string, RecordedEvent[]>();
  private readonly waiting = new ConditionVariable();

  async append(stream: string, expectedRevision: number, events: readonly EventToAppend[]): Promise<void> {
    if (events.length === 0) return;
    const recorded = this.streams.get(stream) ?? [];
    if (alreadyStored(recorded, expectedRevision, events)) return;
    if (recorded.length - 1 !== expectedRevision) throw new RevisionConflict(stream, expectedRevision);
    for (const { id, type, data, metadata } of events) {
      const position = BigInt(this.log.length + 1);
      const event = { id, type, data, metadata, stream, revision: recorded.length, position };
      recorded.push(event);
      this.log.push(event);
    }
    this.streams.set(stream, recorded);
    this.waiting.notifyAll();
  }

  async *readStream(stream: string, fromRevision = 0): AsyncGenerator<readonly RecordedEvent[]> {
    for (let from = fromRevision; ; from += streamPageSize) {
      const page = this.streams.get(stream)?.slice(from, from + streamPageSize) ?? [];
      if (page.length === 0) return;
      yield page;
    }
  }

  async readAll({ after, categories, pageSize = defaultPageSize }: AllEventsQuery): Promise<EventPage> {
    const stretch = this.log.slice(Number(after), Number(after) + pageSize);
    const events = categories ? stretch.filter((event) => categories.includes(categoryOf(event.stream))) : stretch;
    return { events, readTo: stretch.at(-1)?.position ?? after, isLast: stretch.length < pageSize };
  }

  async head(): Promise<Position> {
    return this.log.at(-1)?.position ?? beforeFirst;
  }

  async *subscribe(query: AllEventsQuery, signal: AbortSignal): AsyncGenerator<EventPage> {
    if (query.after > (await this.head())) throw new PositionBeyondLog(query.after);
    for (let after = query.after; !signal.aborted;) {
      const page = await this.readAll({ ...query, after });
      if (page.readTo > after) {
        after = page.readTo;
        yield page;
      } else if (this.log.length === Number(after)) {
        await this.waiting.wait(signal);
      }
    }
  }
}

function alreadyStored(
  recorded: readonly RecordedEvent[],
  expectedRevision: number,
  events: readonly EventToAppend[],
): boolean {
  return events.every((event, index) => recorded[expectedRevision + 1 + index]?.id === event.id);
}
