import { UnreadableEvent } from './event-codec';
import type { RecordedEvent } from './ports/event-store.port';

/** A readable event that cannot be processed yet, because processing it needs a stream that cannot be read. */
export class BlockedEvent extends Error {
  /** Another service cannot read the stream. It may be updated while this process runs. */
  readonly isRetried: boolean;

  constructor(
    readonly event: RecordedEvent,
    why: unknown,
  ) {
    super(`${event.type} at ${event.stream}@${event.revision} has to wait: ${reasonOf(why)}`, { cause: why });
    this.name = 'BlockedEvent';
    this.isRetried = why instanceof Error;
  }
}

/** The event at which a stream has to be set aside, if the error is about one of these events. */
export function stoppedAt(error: unknown, events: readonly RecordedEvent[]): RecordedEvent | undefined {
  if (!(error instanceof UnreadableEvent || error instanceof BlockedEvent)) return undefined;
  return events.find(({ position }) => position === error.event.position);
}

/** The innermost message is the specific one. */
function reasonOf(why: unknown): string {
  if (!(why instanceof Error)) return String(why);
  return why.cause === undefined ? why.message : reasonOf(why.cause);
}
