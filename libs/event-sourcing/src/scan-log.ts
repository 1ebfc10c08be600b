import { prefetch } from './follow-events';
import {
  beforeFirst,
  type EventPage,
  type EventStore,
  type Position,
  type RecordedEvent,
} from './ports/event-store.port';

export interface ScanProgress {
  readonly events: number;
  readonly readTo: Position;
  /** The head of the log when the scan began. Later events are not included. */
  readonly head: Position;
}

/** Positions without an event, first and last included. */
export interface MissingEvents {
  readonly from: Position;
  readonly to: Position;
}

export interface ScannedLog extends Pick<ScanProgress, 'events' | 'head'> {
  /** Removed events, in stores with gapless positions. */
  readonly missing: readonly MissingEvents[];
}

/** How far a scan has come. Plain data; a scan with it continues there. */
export interface ScanState {
  events: number;
  readTo: Position;
  /** The newest event. */
  last: RecordedEvent | undefined;
  readonly missing: MissingEvents[];
}

export function newScan(): ScanState {
  return { events: 0, readTo: beforeFirst, last: undefined, missing: [] };
}

export type ScannableStore = Pick<EventStore, 'head' | 'readAll' | 'hasGaplessPositions'>;

/**
 * Visits every event of the log in order, up to the current head. Changes `scan` page by page. The next page is read while one
 * is visited.
 */
export async function scanLog(
  store: ScannableStore,
  visit: (event: RecordedEvent) => void,
  report: (progress: ScanProgress) => void | Promise<void> = () => undefined,
  pageSize = 5_000,
  scan: ScanState = newScan(),
): Promise<ScannedLog> {
  const head = await store.head();
  const { missing } = scan;
  const read = (after: Position): Promise<EventPage> | undefined =>
    after < head ? prefetch(store.readAll({ after, pageSize })) : undefined;
  for (let ahead = read(scan.readTo); ahead !== undefined;) {
    const page: EventPage = await ahead;
    if (page.readTo <= scan.readTo)
      throw new Error(`The log ends at ${scan.readTo} although its head is at ${head}; check the store`);
    ahead = read(page.readTo);
    // Without waiting in between, so that an interrupted scan is at the end of a page.
    for (const event of page.events) {
      if (event.position > head) break;
      const expected = (scan.last?.position ?? beforeFirst) + 1n;
      if (store.hasGaplessPositions && event.position > expected) {
        missing.push({ from: expected, to: event.position - 1n });
      }
      scan.last = event;
      visit(event);
      scan.events += 1;
    }
    scan.readTo = page.readTo < head ? page.readTo : head;
    await report({ events: scan.events, readTo: scan.readTo, head });
  }
  return { events: scan.events, head, missing };
}
