import type { AnyAggregate, StateOf } from '@florin/kernel';
import { eventCodec } from './event-codec';
import type { RecordedEvent } from './ports/event-store.port';

/** When the streams of a category are closed: no flow continues them, so they are rarely read again. */
export interface ClosedStreams {
  readonly category: string;
  /** Every closed stream has an event of one of these types. */
  readonly closingEvents: readonly string[];
  /** `events` are all events of the stream. */
  isClosed(stream: string, events: readonly RecordedEvent[]): boolean;
}

/** Folds the events with the aggregate of the category. A stream with events that this release does not know is not closed. */
export function closedStreams<A extends AnyAggregate>(
  aggregate: A,
  closingEvents: readonly string[],
  isFinal: (state: StateOf<A>, streamId: string) => boolean,
): ClosedStreams {
  const codec = eventCodec(aggregate.versions);
  return {
    category: aggregate.category,
    closingEvents,
    isClosed: (stream, events) => {
      try {
        const fold = (state: unknown, recorded: RecordedEvent): unknown =>
          aggregate.evolve(state, codec.decode(recorded).event);
        const state = events.reduce(fold, aggregate.initialState() as unknown);
        return isFinal(state as StateOf<A>, stream.slice(aggregate.category.length + 1));
      } catch {
        return false;
      }
    },
  };
}
