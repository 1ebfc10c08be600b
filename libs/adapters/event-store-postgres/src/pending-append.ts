import { assert, isUuid } from '@florin/kernel';
import { type EventToAppend, noStream } from '@florin/event-sourcing';

/** An append whose caller waits for the outcome. */
export interface PendingAppend {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly EventToAppend[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A longer name might not fit into an index entry, at three bytes per character. */
const maxStreamNameLength = 500;

/**
 * Rejects what the database would reject. Many appends share a statement, so one invalid append would fail all of them.
 */
export function checkAppend(stream: string, expectedRevision: number, events: readonly EventToAppend[]): void {
  assert(
    stream.length > 0 && stream.length <= maxStreamNameLength && !stream.includes('\0'),
    () =>
      `a stream name has 1 to ${maxStreamNameLength} characters and no NUL, unlike ${JSON.stringify(stream.slice(0, 100))}`,
  );
  assert(
    Number.isSafeInteger(expectedRevision) &&
      expectedRevision >= noStream &&
      expectedRevision < 2 ** 31 - events.length,
    () => `an expected revision is an integer of at least ${noStream}, unlike ${expectedRevision}`,
  );
  for (const { id, type, data, metadata } of events) {
    assert(isUuid(id), () => `an event id is a lowercase UUID, unlike ${JSON.stringify(id)}`);
    assert(
      !data.includes('\0') && !metadata.includes('\0') && !type.includes('\0'),
      () => `event ${id} contains a NUL`,
    );
  }
}
