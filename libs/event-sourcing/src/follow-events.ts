import { type AllEventsQuery, type EventPage, type Position, PositionBeyondLog } from './ports/event-store.port';

/** Reads the global order from the store. */
export interface LogReader {
  page(after: Position, limit: number, categories: readonly string[] | undefined): Promise<EventPage>;
  head(): Promise<Position>;
}

/** The newest events in memory, for all subscriptions that have caught up. */
export interface LogTail {
  /** Starts at a position that is known to have been the head, unless it runs already. */
  follow(position: Position): void;
  /** Whether a reader at this position can continue here. */
  covers(after: Position): boolean;
  /** The next events after a covered position, or undefined at the end. */
  page(after: Position, limit: number, categories: readonly string[] | undefined): EventPage | undefined;
  /** Resolves when events exist after the position or the signal aborts; rejects when the log cannot be read. */
  waitForEvents(after: Position, signal: AbortSignal): Promise<void>;
}

export interface FollowedLog {
  readonly reader: LogReader;
  readonly tail: LogTail;
  readonly pageSize: number;
}

/**
 * Implements `subscribe` for event stores: reads page after page, prefetching the next one, until it reaches the live
 * tail, and then takes new events from there. A subscription that falls too far behind goes back to reading pages.
 */
export async function* followEvents(
  { reader, tail, pageSize }: FollowedLog,
  query: AllEventsQuery,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  const limit = query.pageSize ?? pageSize;
  let after = query.after;
  // The tail waits for events after any position, also after one that the log does not have yet.
  if (tail.covers(after)) await requireInLog(reader, after);
  let ahead: Promise<EventPage> | undefined;
  while (!signal.aborted) {
    let page: EventPage | undefined;
    if (ahead === undefined && tail.covers(after)) {
      page = tail.page(after, limit, query.categories);
      if (page === undefined) await tail.waitForEvents(after, signal);
    } else {
      page = await unlessAborted(ahead ?? readFrom(reader, after, limit, query), signal);
      ahead = undefined;
      if (page === undefined) return;
      if (page.isLast) tail.follow(page.readTo);
      else ahead = prefetch(reader.page(page.readTo, limit, query.categories));
    }
    if (page !== undefined && page.readTo > after && !signal.aborted) {
      after = page.readTo;
      yield page;
    }
  }
}

async function readFrom(
  reader: LogReader,
  after: Position,
  limit: number,
  { categories }: AllEventsQuery,
): Promise<EventPage> {
  const page = await reader.page(after, limit, categories);
  if (page.readTo <= after) await requireInLog(reader, after);
  return page;
}

async function requireInLog(reader: LogReader, after: Position): Promise<void> {
  if (after <= (await reader.head())) return;
  throw new PositionBeyondLog(after);
}

/** What is read ahead may never be awaited; its failure is reported when it is. */
export function prefetch<Page>(page: Promise<Page>): Promise<Page> {
  page.catch(() => undefined);
  return page;
}

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
