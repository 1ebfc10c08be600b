import type { AllEventsQuery, EventPage, Position } from '@florin/event-sourcing';
import type { EventReader, LogPage } from './event-reader';
import type { LiveTail } from './live-tail';

export interface SubscriptionSource {
  readonly reader: EventReader;
  readonly tail: LiveTail;
  readonly pageSize: number;
}

/**
 * Reads page after page, filtered by the server, until it has caught up with the live tail; from then on it takes from
 * there whatever has come in meanwhile. Whoever falls too far behind goes back to reading pages.
 */
export async function* followEvents(
  { reader, tail, pageSize }: SubscriptionSource,
  query: AllEventsQuery,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  const limit = query.pageSize ?? pageSize;
  let after = query.after;
  while (!signal.aborted) {
    let page: EventPage | undefined;
    if (tail.covers(after)) {
      page = tail.page(after, limit, query.categories);
      if (page === undefined) await tail.moved(after, signal);
    } else {
      const read = await unlessAborted(readFrom(reader, after, limit, query), signal);
      if (read === undefined) return;
      if (read.isLast) tail.follow(read.readTo);
      page = { events: read.events, readTo: read.readTo };
    }
    if (page !== undefined && page.readTo > after && !signal.aborted) {
      after = page.readTo;
      yield page;
    }
  }
}

/** A checkpoint beyond the end belongs to another history: everything up to there would be passed over in silence. */
async function readFrom(
  reader: EventReader,
  after: Position,
  limit: number,
  { categories }: AllEventsQuery,
): Promise<LogPage> {
  const page = await reader.page(after, limit, categories);
  if (page.readTo > after || after <= (await reader.head())) return page;
  throw new Error(
    `A subscription wants to go on after position ${after}, but the store ends before it; was it restored from an older ` +
      'backup, or is the checkpoint of another store? Reset the checkpoint to a position that the store still has.',
  );
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
