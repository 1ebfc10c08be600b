import { type EventToAppend, noStream } from '@florin/event-sourcing';
import { assert, isUuid } from '@florin/kernel';

/** Rejects what the server would misinterpret, or store where no reader would find it. */
export function checkAppend(stream: string, expectedRevision: number, events: readonly EventToAppend[]): void {
  assert(
    stream.length > 0 && !stream.startsWith('$'),
    () => `a stream has a name that does not start with $, which the server reserves, unlike ${JSON.stringify(stream)}`,
  );
  assert(
    Number.isSafeInteger(expectedRevision) && expectedRevision >= noStream,
    () => `an expected revision is an integer of at least ${noStream}, unlike ${expectedRevision}`,
  );
  for (const { id, type } of events) {
    assert(isUuid(id), () => `an event id is a lowercase UUID, unlike ${JSON.stringify(id)}`);
    assert(type.length > 0, () => `event ${id} has no type`);
  }
}
