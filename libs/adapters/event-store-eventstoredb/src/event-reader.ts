import {
  beforeFirst,
  type EventPage,
  isInCategory,
  type LogReader,
  type Position,
  type RecordedEvent,
} from '@florin/event-sourcing';
import type { Connection } from './connection';
import { allRequest, eventIn, newestRequest, streamRequest } from './wire-messages';

export class EventReader implements LogReader {
  constructor(private readonly connection: Connection) {}

  async streamPage(stream: string, fromRevision: number, limit: number): Promise<RecordedEvent[]> {
    return eventsIn(await this.connection.read(streamRequest(stream, fromRevision, limit)));
  }

  /** The first event of a stream, read without queueing or retrying. */
  async probe(stream: string, timeoutMs: number): Promise<RecordedEvent | undefined> {
    return eventsIn(await this.connection.probe(streamRequest(stream, 0, 1), timeoutMs))[0];
  }

  /**
   * The server returns matching events but not how far it has searched. So the head is read first: if fewer events
   * arrive than requested, the search has passed at least that head.
   */
  async page(after: Position, limit: number, categories: readonly string[] | undefined): Promise<EventPage> {
    const end = await this.head();
    if (end <= after) return { events: [], readTo: after, isLast: true };
    // One more, because a read includes the event at the position itself when it matches.
    const responses = await this.connection.read(allRequest(after, limit + 1, categories));
    const found = eventsIn(responses).filter((event) => event.position > after);
    const events = found.slice(0, limit);
    const last = events.at(-1)?.position ?? after;
    const isLast = found.length < limit;
    return {
      events: events.filter(({ stream }) => isInCategory(stream, categories)),
      readTo: isLast && end > last ? end : last,
      isLast,
    };
  }

  /** The position of the newest event that is not a system event. */
  async head(): Promise<Position> {
    const [newest] = eventsIn(await this.connection.read(newestRequest()));
    return newest?.position ?? beforeFirst;
  }
}

function eventsIn(responses: readonly Parameters<typeof eventIn>[0][]): RecordedEvent[] {
  return responses.map(eventIn).filter((event) => event !== undefined);
}
