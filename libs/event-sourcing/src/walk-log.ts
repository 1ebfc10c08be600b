import { beforeFirst, type EventStore, type Position, type RecordedEvent } from './ports/event-store.port';

export interface WalkProgress {
  readonly events: number;
  readonly readTo: Position;
  /** The end of the log when the walk began; what is written meanwhile is left for the next time. */
  readonly head: Position;
}

/** Shows every event of the log in its order, up to the end as it is now. */
export async function walkLog(
  store: Pick<EventStore, 'head' | 'readAll'>,
  visit: (event: RecordedEvent) => void,
  report: (progress: WalkProgress) => void = () => undefined,
  pageSize = 5_000,
): Promise<Pick<WalkProgress, 'events' | 'head'>> {
  const head = await store.head();
  let events = 0;
  for (let after = beforeFirst; after < head;) {
    const page = await store.readAll({ after, pageSize });
    if (page.readTo <= after)
      throw new Error(`The log ends at ${after} although its head is at ${head}; check the store`);
    for (const event of page.events) {
      if (event.position > head) break;
      visit(event);
      events += 1;
    }
    after = page.readTo;
    report({ events, readTo: after < head ? after : head, head });
  }
  return { events, head };
}
