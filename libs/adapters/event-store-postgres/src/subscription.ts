import type { AllEventsQuery, EventPage } from '@florin/event-sourcing';
import type { EventReader } from './event-reader';
import type { LiveTail } from './live-tail';

export interface SubscriptionSource {
  readonly reader: EventReader;
  readonly tail: LiveTail;
  readonly pageSize: number;
}

/**
 * Reads page after page from the database, the next one while the present one is being worked on, until it has caught up
 * with the live tail; from then on it takes from there whatever has come in meanwhile.
 */
export async function* followEvents(
  { reader, tail, pageSize }: SubscriptionSource,
  query: AllEventsQuery,
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  const limit = query.pageSize ?? pageSize;
  const categories = query.categories && new Set(query.categories);
  let after = query.after;
  let ahead: Promise<EventPage> | undefined;
  while (!signal.aborted) {
    let page: EventPage | undefined;
    if (ahead === undefined && tail.covers(after)) {
      page = tail.page(after, limit, categories);
      if (page === undefined) await tail.moved(after, signal);
    } else {
      page = await unlessAborted(ahead ?? reader.page(after, limit, query.categories), signal);
      ahead = undefined;
      const isFull = page !== undefined && page.readTo - after === BigInt(limit);
      if (isFull) ahead = prefetch(reader.page(page!.readTo, limit, query.categories));
      else if (page !== undefined) tail.follow(page.readTo);
    }
    if (page !== undefined && page.readTo > after && !signal.aborted) {
      after = page.readTo;
      yield page;
    }
  }
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
