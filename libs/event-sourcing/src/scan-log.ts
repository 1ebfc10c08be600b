import { beforeFirst, type EventStore, type Position, type RecordedEvent } from './ports/event-store.port';

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

export type ScannableStore = Pick<EventStore, 'head' | 'readAll' | 'hasGaplessPositions'>;

/** Visits every event of the log in order, up to the current head. */
export async function scanLog(
  store: ScannableStore,
  visit: (event: RecordedEvent) => void,
  report: (progress: ScanProgress) => void | Promise<void> = () => undefined,
  pageSize = 5_000,
): Promise<ScannedLog> {
  const head = await store.head();
  const missing: MissingEvents[] = [];
  let events = 0;
  let last = beforeFirst;
  for (let after = beforeFirst; after < head;) {
    const page = await store.readAll({ after, pageSize });
    if (page.readTo <= after)
      throw new Error(`The log ends at ${after} although its head is at ${head}; check the store`);
    for (const event of page.events) {
      if (event.position > head) break;
      if (store.hasGaplessPositions && event.position > last + 1n) {
        missing.push({ from: last + 1n, to: event.position - 1n });
      }
      last = event.position;
      visit(event);
      events += 1;
    }
    after = page.readTo;
    await report({ events, readTo: after < head ? after : head, head });
  }
  return { events, head, missing };
}
