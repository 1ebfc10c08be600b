import {
  beforeFirst,
  type EventPage,
  isInCategory,
  type KnownStore,
  type LogReader,
  type Position,
  type RecordedEvent,
} from '@florin/event-sourcing';
import type { Connection } from './connection';
import { isOwn } from './server-event';

/** How many events a search for the newest one reads at a time, except the first time. */
const searchedAtOnce = 1_000;

export class EventReader implements LogReader {
  /** The newest event up to a position, so that later searches end there. */
  private searched: { readonly to: Position; readonly newest: Position } = { to: beforeFirst, newest: beforeFirst };

  constructor(
    private readonly connection: Connection,
    private readonly known: KnownStore,
  ) {}

  async streamPage(stream: string, fromRevision: number, limit: number): Promise<readonly RecordedEvent[]> {
    return (await this.connection.readStream(stream, fromRevision, limit)).filter(isOwn);
  }

  /** Events of the server after the newest event are not passed: no position is beyond the head. */
  async page(after: Position, limit: number, categories: readonly string[] | undefined): Promise<EventPage> {
    // One more, because a read includes the event at the position itself.
    const found = await this.connection.readAll(after, limit + 1);
    const isFull = found.length > limit;
    const events = found.filter(isOwn).filter(({ position }) => position > after);
    const newest = events.at(-1)?.position;
    if (newest !== undefined) this.known.saw(newest);
    if (isFull && newest === undefined) return this.pageWithoutEvents(after, found.at(-1)!.position);
    return {
      events: events.filter(({ stream }) => isInCategory(stream, categories)),
      readTo: newest ?? after,
      isLast: !isFull,
    };
  }

  /** A whole page of events of the server is passed only if an event follows. */
  private async pageWithoutEvents(after: Position, last: Position): Promise<EventPage> {
    const isLast = (await this.head()) <= after;
    return { events: [], readTo: isLast ? after : last, isLast };
  }

  /** Up to this position of the log, `newest` is the newest event. The live subscription reports it. */
  passed(to: Position, newest: Position): void {
    if (to > this.searched.to && newest >= this.searched.newest) this.searched = { to, newest };
  }

  /**
   * The position of the newest event that is not one of the server. Reads backwards to what is known, so that events of the server
   * cost something only once.
   */
  async head(): Promise<Position> {
    let known = this.searched;
    let end: Position | undefined;
    for (let before: Position | undefined, count = 1; ; count = searchedAtOnce) {
      const found = await this.connection.readNewest(before, count);
      end ??= found[0]?.position ?? beforeFirst;
      // Another server, or a restored copy.
      if (end < known.to) known = { to: beforeFirst, newest: beforeFirst };
      const newest = found.find(isOwn)?.position;
      const oldest = found.at(-1)?.position ?? beforeFirst;
      if (newest !== undefined || oldest <= known.to || found.length < count) {
        const head = newest !== undefined && newest > known.newest ? newest : known.newest;
        this.searched = { to: end, newest: head };
        this.known.saw(head);
        return head;
      }
      before = oldest;
    }
  }
}
