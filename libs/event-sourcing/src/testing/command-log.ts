import { type Command, type Decider, type DomainEvent, type EventVersions, manualClock } from '@florin/kernel';
import { CommandHandler, type CommandReply } from '../handle-command';
import type { EventStore, RecordedEvent } from '../ports/event-store.port';
import { InMemoryEventStore } from './in-memory-event-store';

/** A log that the very deciders of production write, at times that the test sets. */
export function commandLog(store: EventStore = new InMemoryEventStore()) {
  const clock = manualClock('2030-01-01T10:00:00.000Z');
  const headers = { correlationId: 'request', causationId: 'request' };
  let count = 0;
  return {
    clock,
    runner<State, C extends Command<string, unknown>, E extends DomainEvent<string, unknown>, Code extends string>(
      decider: Decider<State, C, E, Code>,
      versions: EventVersions<E>,
      streamIdOf: (command: C) => string,
    ) {
      const handler = new CommandHandler({ decider, versions, store, clock, answer: () => null });
      return (command: C): Promise<CommandReply> =>
        handler.handle(streamIdOf(command), command, { id: `command-${++count}`, headers });
    },
    events: async (): Promise<readonly RecordedEvent[]> => {
      const { events } = await store.readAll({ after: 0n, pageSize: 100_000 });
      return events;
    },
  };
}
