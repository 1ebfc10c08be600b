import { metadataOf, type RecordedEvent } from '@florin/event-sourcing';

interface Stored {
  readonly after?: { readonly available: string };
  readonly [field: string]: unknown;
}

const newFields: readonly string[] = ['authorized', 'cleared', 'declineReason', 'reportedAt'];

/** The event as the first release stored it: with what is available as `balance`. */
export function asFirstRelease(event: RecordedEvent): RecordedEvent {
  const { after, ...data } = JSON.parse(event.data) as Stored;
  const old = Object.fromEntries(Object.entries(data).filter(([name]) => !newFields.includes(name)));
  const { schemaVersion, ...metadata } = metadataOf(event);
  // The first release does not have the event, or it has no amounts.
  if (after === undefined || schemaVersion === 1) return event;
  return {
    ...event,
    data: JSON.stringify({ ...old, balance: after.available }),
    metadata: JSON.stringify({ ...metadata, schemaVersion: schemaVersion - 1 }),
  };
}
