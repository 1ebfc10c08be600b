import { type AnyAggregate, type CommandOf, randomId, serviceActor, systemClock } from '@florin/kernel';
import { CommandHandler } from '../handle-command';
import type { RecordedEvent } from '../ports/event-store.port';
import { InMemoryEventStore } from './in-memory-event-store';
import { InMemorySnapshotStore } from './in-memory-snapshot-store';

class CountingStore extends InMemoryEventStore {
  eventsRead = 0;

  override async *readStream(stream: string, fromRevision?: number): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of super.readStream(stream, fromRevision)) {
      this.eventsRead += page.length;
      yield page;
    }
  }
}

/** As often as in Postgres. */
class RareSnapshots extends InMemorySnapshotStore {
  override readonly minEvents = 2_000;
  override readonly bytesPerEvent = 300;
}

const headers = { correlationId: 'c', causationId: 'c', actor: serviceActor('test') };

export interface LongStream {
  readonly eventsStored: number;
  /** What another process reads to execute the last command. */
  readonly eventsRead: number;
}

/** Executes commands on one stream, the last of them in another process. */
export async function longStream<A extends AnyAggregate>(
  aggregate: A,
  commands: readonly CommandOf<A>[],
): Promise<LongStream> {
  const options = { store: new CountingStore(), snapshots: new RareSnapshots(), clock: systemClock };
  const newProcess = () => new CommandHandler(aggregate, options);
  const execute = async (by: CommandHandler<A>, command: CommandOf<A>): Promise<void> => {
    const reply = await by.handle('1', command, { id: randomId(), headers });
    if (!reply.ok) throw new Error(`${command.type} was refused: ${reply.refusal.message}`);
  };
  const before = newProcess();
  for (let first = 0; first < commands.length - 1; first += 1_000) {
    const next = commands.slice(first, Math.min(first + 1_000, commands.length - 1));
    await Promise.all(next.map((command) => execute(before, command)));
  }
  options.store.eventsRead = 0;
  await execute(newProcess(), commands.at(-1)!);
  const { eventsRead } = options.store;
  return { eventsStored: Number(await options.store.head()), eventsRead };
}
