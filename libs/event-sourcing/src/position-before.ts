import { metadataOf } from './event-metadata';
import { beforeFirst, type EventStore, type Position } from './ports/event-store.port';

/**
 * The position of the last event before the first one that was recorded at this time or later. Clocks of services may differ
 * by a moment, so the positions decide: the result is a prefix of the log, and always the same.
 */
export async function positionBefore(store: Pick<EventStore, 'head' | 'readAll'>, time: Date): Promise<Position> {
  const head = await store.head();
  let before = beforeFirst;
  for (let after = beforeFirst; after < head;) {
    const { events, readTo } = await store.readAll({ after });
    if (readTo <= after) break;
    for (const event of events) {
      if (new Date(metadataOf(event).recordedAt) >= time) return before;
      before = event.position;
    }
    after = readTo;
  }
  return before;
}
