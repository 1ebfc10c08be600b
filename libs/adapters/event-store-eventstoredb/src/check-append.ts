import { type EventToAppend, noStream } from '@florin/event-sourcing';
import { assert, isUuid } from '@florin/kernel';

/** Refuses what the server would misunderstand, or store where nobody would ever see it. */
export function checkAppend(stream: string, expectedRevision: number, events: readonly EventToAppend[]): void {
  assert(
    stream.length > 0 && !stream.startsWith('$'),
    () =>
      `a stream has a name, and the server keeps those with a $ in front to itself, unlike ${JSON.stringify(stream)}`,
  );
  assert(
    Number.isSafeInteger(expectedRevision) && expectedRevision >= noStream,
    () => `an expected revision is a whole number from ${noStream} on, unlike ${expectedRevision}`,
  );
  for (const { id, type } of events) {
    assert(isUuid(id), () => `the id of an event is a UUID in lower case, unlike ${JSON.stringify(id)}`);
    assert(type.length > 0, () => `event ${id} has no type`);
  }
}
