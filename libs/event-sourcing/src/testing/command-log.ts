import { type AnyAggregate, type CommandOf, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { CommandHandler, type CommandReply } from '../handle-command';
import type { EventStore, RecordedEvent } from '../ports/event-store.port';
import { InMemoryEventStore } from './in-memory-event-store';

/** A log written by the production deciders, at times that the test sets. */
export function commandLog(store: EventStore = new InMemoryEventStore(), startsAt = '2030-01-01T10:00:00.000Z') {
  const clock = manualClock(startsAt);
  const headers = { correlationId: 'request', causationId: 'request', actor: serviceActor('test') };
  let count = 0;
  return {
    clock,
    runner<A extends AnyAggregate>(aggregate: A, streamIdOf: (command: CommandOf<A>) => string) {
      const handler = new CommandHandler({ ...aggregate, answer: () => null }, { store, clock });
      return (command: CommandOf<A>): Promise<CommandReply> =>
        handler.handle(streamIdOf(command), command, { id: `command-${++count}`, headers });
    },
    events: async (): Promise<readonly RecordedEvent[]> => {
      const { events } = await store.readAll({ after: 0n, pageSize: 100_000 });
      return events;
    },
  };
}
