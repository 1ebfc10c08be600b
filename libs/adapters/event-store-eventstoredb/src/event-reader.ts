import {
  beforeFirst,
  categoryOf,
  type EventPage,
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

  /**
   * The server sends the events that match and not a word about how far it has searched. So the end is asked for first:
   * when fewer events come than could have come, the search has passed at least that end.
   */
  async page(after: Position, limit: number, categories: readonly string[] | undefined): Promise<EventPage> {
    const end = await this.head();
    if (end <= after) return { events: [], readTo: after, isLast: true };
    // One more, because the event at the position itself comes along when it matches.
    const answers = await this.connection.read(allRequest(after, limit + 1, categories));
    const found = eventsIn(answers).filter((event) => event.position > after);
    const events = found.slice(0, limit);
    const last = events.at(-1)?.position ?? after;
    const isLast = found.length < limit;
    return { events: events.filter(isOf(categories)), readTo: isLast && end > last ? end : last, isLast };
  }

  /** The position of the newest event that is not one of the server's own. */
  async head(): Promise<Position> {
    const [newest] = eventsIn(await this.connection.read(newestRequest()));
    return newest?.position ?? beforeFirst;
  }
}

function eventsIn(answers: readonly Parameters<typeof eventIn>[0][]): RecordedEvent[] {
  return answers.map(eventIn).filter((event) => event !== undefined);
}

export function isOf(categories: readonly string[] | undefined): (event: RecordedEvent) => boolean {
  if (categories === undefined) return () => true;
  const wanted = new Set(categories);
  return ({ stream }) => wanted.has(categoryOf(stream));
}
