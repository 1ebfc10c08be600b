import { CommandHandler, type CommandReply, type RecordedEvent } from '@florin/event-sourcing';
import { InMemoryEventStore } from '@florin/event-sourcing/testing';
import { type Command, type Decider, type DomainEvent, type EventVersions, manualClock } from '@florin/kernel';

/** A log that the very deciders of production write, at times that the test sets. */
export function commandLog() {
  const store = new InMemoryEventStore();
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
