import { type EventStore, type RecordedEvent, streamRuns } from '@florin/event-sourcing';

/** How many appends are sent before the first of them is confirmed. More is hardly faster. */
const window = 32;

/**
 * Appends events of many streams in the order of a log. Waiting for each append would take ten times as long. A server stores
 * appends of one call in their order; the first one is awaited alone, because opening that call does not keep it. `store` must
 * not retry: a repeated append could overtake others. The caller compares the result.
 */
export async function appendInOrder(
  store: Pick<EventStore, 'append'>,
  events: readonly RecordedEvent[],
): Promise<void> {
  const [first, ...others] = streamRuns(events).map(
    ({ stream, expectedRevision, events: run }) =>
      () =>
        store.append(stream, expectedRevision, run),
  );
  await first?.();
  const pending: Promise<void>[] = [];
  try {
    for (const append of others) {
      if (pending.length === window) await pending.shift();
      const appended = append();
      // Its failure is reported when it is awaited.
      appended.catch(() => undefined);
      pending.push(appended);
    }
    await Promise.all(pending);
  } finally {
    // No append may still be under way when the caller reads how far it got.
    await Promise.allSettled(pending);
  }
}
