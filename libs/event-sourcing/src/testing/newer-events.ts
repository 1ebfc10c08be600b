import type { AllEventsQuery, EventPage, EventStore, RecordedEvent } from '../ports/event-store.port';

/** How a release that is older than an event sees it: with an unknown type, or with a version that it does not know. */
export type Newer = 'type' | 'version';

/** A log as a release sees it that is older than some of its events. */
export function withNewerEvents(
  store: EventStore,
  newerIn: (event: RecordedEvent) => Newer | undefined,
): Pick<EventStore, keyof EventStore> {
  const seen = (event: RecordedEvent): RecordedEvent => {
    const newer = newerIn(event);
    if (newer === undefined) return event;
    if (newer === 'type') return { ...event, type: `${event.type}OfTheNextRelease` };
    const metadata = JSON.parse(event.metadata) as object;
    return { ...event, metadata: JSON.stringify({ ...metadata, schemaVersion: 99 }) };
  };
  const pageSeen = (page: EventPage): EventPage => ({ ...page, events: page.events.map(seen) });
  return {
    append: (stream, expectedRevision, events) => store.append(stream, expectedRevision, events),
    head: () => store.head(),
    readAll: async (query: AllEventsQuery) => pageSeen(await store.readAll(query)),
    async *readStream(stream, fromRevision) {
      for await (const page of store.readStream(stream, fromRevision)) yield page.map(seen);
    },
    async *subscribe(query, signal) {
      for await (const page of store.subscribe(query, signal)) yield pageSeen(page);
    },
  };
}
