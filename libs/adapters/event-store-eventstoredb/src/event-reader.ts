import {
  beforeFirst,
  type EventPage,
  isInCategory,
  type KnownStore,
  type LogReader,
  type Position,
  type RecordedEvent,
} from '@florin/event-sourcing';
import { UnknownError } from '@eventstore/db-client';
import { isTransient } from './append-failures';
import type { Connection } from './connection';
import { isOwn } from './server-event';

/** How many events a search for the newest one reads at a time, after the newest one of all and a few before it. */
const searchedAtOnce = 1_000;
const searchedSoon = 20;

/** The newest event up to a position, so that later searches end there. */
interface Searched {
  readonly to: Position;
  readonly newest: Position;
}

const nothingSearched: Searched = { to: beforeFirst, newest: beforeFirst };

export class EventReader implements LogReader {
  private searched = nothingSearched;

  constructor(
    private readonly connection: Connection,
    private readonly known: KnownStore,
    /** The furthest position that any process has read. A search of a new process begins there. */
    private readonly furthestPosition: () => Promise<Position> = async () => beforeFirst,
  ) {}

  async streamPage(stream: string, fromRevision: number, limit: number): Promise<readonly RecordedEvent[]> {
    return (await this.connection.readStream(stream, fromRevision, limit)).filter(isOwn);
  }

  /** Events of the server after the newest event are not passed: no position is beyond the head. */
  async page(after: Position, limit: number, categories: readonly string[] | undefined): Promise<EventPage> {
    // Probably at the end: a page could be full of events of the server.
    if (after >= this.searched.newest && (await this.head()) <= after)
      return { events: [], readTo: after, isLast: true };
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
   * cost something only once. A long run of them is searched by the server.
   */
  async head(): Promise<Position> {
    let known = this.searched;
    let end: Position | undefined;
    for (let before: Position | undefined, count = 1; ; count = count === 1 ? searchedSoon : searchedAtOnce) {
      const found = await this.connection.readNewest(before, count);
      end ??= found[0]?.position ?? beforeFirst;
      // Another server, or a restored copy.
      if (end < known.to) known = nothingSearched;
      const newest = found.find(isOwn)?.position;
      const oldest = found.at(-1)?.position ?? beforeFirst;
      if (newest === undefined && count === searchedAtOnce) known = await this.searchUpTo(oldest, known);
      if (newest !== undefined || oldest <= known.to || found.length < count) {
        const head = newest !== undefined && newest > known.newest ? newest : known.newest;
        this.searched = { to: end, newest: head };
        this.known.saw(head);
        return head;
      }
      before = oldest;
    }
  }

  /** From the furthest event that is known to exist. Without one, the caller continues backwards. */
  private async searchUpTo(end: Position, known: Searched): Promise<Searched> {
    if (known.to >= end) return known;
    const furthest = await this.furthestPosition();
    const start = furthest > known.newest ? furthest : known.newest;
    if (start === beforeFirst || start >= end || !(await this.isEvent(start))) return known;
    return { to: end, newest: await this.connection.newestBetween(start, end) };
  }

  /** A position that was read from another store, or a newer copy, is hardly one of an event here. The server rejects it. */
  private async isEvent(position: Position): Promise<boolean> {
    try {
      const [event] = await this.connection.readAll(position, 1);
      return event?.position === position && isOwn(event);
    } catch (error) {
      if (error instanceof UnknownError && !isTransient(error)) return false;
      throw error;
    }
  }
}
