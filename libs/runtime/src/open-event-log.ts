import { applyMigrations } from '@florin/database';
import type { EventStore } from '@florin/event-sourcing';
import { chooseStores } from './choose-adapters';
import type { Config } from './config';
import { openDatabaseServer } from './database-server';
import type { Log } from './log';

export interface EventLog {
  readonly store: EventStore;
  close(): Promise<void>;
}

/** Only the log itself, for tools that read it while no service has to run. */
export async function openEventLog(config: Config, log: Log): Promise<EventLog> {
  const server = await openDatabaseServer(config, log, (error) => {
    throw error;
  });
  try {
    await applyMigrations(server.connection);
    const { store, close } = await chooseStores(config, server.connection);
    return {
      store,
      close: async () => {
        await close();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
