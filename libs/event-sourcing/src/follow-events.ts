import type { AllEventsQuery, EventPage, Position } from './ports/event-store.port';

/** Reads the global order from where it is stored. */
export interface LogReader {
  page(after: Position, limit: number, categories: readonly string[] | undefined): Promise<EventPage>;
  head(): Promise<Position>;
}

/** The newest events in memory, for all who have caught up. */
export interface LogTail {
  /** Begins at a position that is known to have been the end, unless it runs already. */
  follow(position: Position): void;
  /** Whether somebody who has read up to there can go on from here. */
  covers(after: Position): boolean;
  /** What comes after a position that is covered, or nothing when that is the end. */
  page(after: Position, limit: number, categories: readonly string[] | undefined): EventPage | undefined;
  /** Resolves when there is something after the position, or the signal aborts; rejects when the log cannot be read. */
  waitForEvents(after: Position, signal: AbortSignal): Promise<void>;
}

export interface FollowedLog {
  readonly reader: LogReader;
  readonly tail: LogTail;
  readonly pageSize: number;
}

/**
 * What event stores do in `subscribe`: read page after page, the next one while the present one is being worked on, until
 * the live tail is reached, and from then on take from there whatever has come in meanwhile. Whoever falls too far behind
 * goes back to reading pages.
 */
export async function* followEvents(
  { reader, tail, pageSize }: FollowedLog,
  query: AllEventsQuery,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  const limit = query.pageSize ?? pageSize;
  let after = query.after;
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

/** A checkpoint beyond the end belongs to another history: everything up to there would be passed over in silence. */
async function readFrom(
  reader: LogReader,
  after: Position,
  limit: number,
  { categories }: AllEventsQuery,
): Promise<EventPage> {
  const page = await reader.page(after, limit, categories);
  if (page.readTo > after || after <= (await reader.head())) return page;
  throw new Error(
    `A subscription wants to go on after position ${after}, but the store ends before it; was it restored from an older ` +
      'backup, or is the checkpoint of another store? Reset the checkpoint to a position that the store still has.',
  );
}

/** Nobody waits for it yet, and perhaps nobody ever will: a failure shows when the page is asked for. */
function prefetch(page: Promise<EventPage>): Promise<EventPage> {
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
