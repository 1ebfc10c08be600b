import { assert, isUuid } from '@florin/kernel';
import { type EventToAppend, noStream } from '@florin/event-sourcing';

/** An append that somebody waits for. */
export interface PendingAppend {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly EventToAppend[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A longer name might not fit into an index entry, where three bytes a character have to find room. */
const longestStreamName = 500;

/**
 * Refuses what the database would refuse. Many appends share a statement, and one that cannot be stored would take all
 * of them down with it.
 */
export function checkAppend(stream: string, expectedRevision: number, events: readonly EventToAppend[]): void {
  assert(
    stream.length > 0 && stream.length <= longestStreamName && !stream.includes('\0'),
    () =>
      `a stream's name has 1 to ${longestStreamName} characters and no NUL, unlike ${JSON.stringify(stream.slice(0, 100))}`,
  );
  assert(
    Number.isSafeInteger(expectedRevision) &&
      expectedRevision >= noStream &&
      expectedRevision < 2 ** 31 - events.length,
    () => `an expected revision is a whole number from ${noStream} on, unlike ${expectedRevision}`,
  );
  for (const { id, type, data, metadata } of events) {
    assert(isUuid(id), () => `the id of an event is a UUID in lower case, unlike ${JSON.stringify(id)}`);
    assert(
      !data.includes('\0') && !metadata.includes('\0') && !type.includes('\0'),
      () => `event ${id} contains a NUL`,
    );
  }
}
