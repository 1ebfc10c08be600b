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

/** Several events of a batch are blocked. */
export class BlockedEvents extends Error {
  constructor(readonly blocked: readonly BlockedEvent[]) {
    super(`${blocked.length} events have to wait; the first: ${blocked[0]!.message}`);
    this.name = 'BlockedEvents';
  }
}

export interface Stop {
  readonly event: RecordedEvent;
  readonly error: UnreadableEvent | BlockedEvent;
}

/** The first event of each stream that cannot be processed, if the error is about these events. */
export function stopsIn(error: unknown, events: readonly RecordedEvent[]): readonly Stop[] {
  const errors = error instanceof BlockedEvents ? error.blocked : [error];
  const stops = new Map<string, Stop>();
  for (const one of errors) {
    if (!(one instanceof UnreadableEvent || one instanceof BlockedEvent)) continue;
    const event = events.find(({ position }) => position === one.event.position);
    if (event === undefined) continue;
    const known = stops.get(event.stream);
    if (known === undefined || event.position < known.event.position) stops.set(event.stream, { event, error: one });
  }
  return [...stops.values()];
}

/** The innermost message is the specific one. */
function reasonOf(why: unknown): string {
  if (!(why instanceof Error)) return String(why);
  return why.cause === undefined ? why.message : reasonOf(why.cause);
}
