import { applyMigrations, type DatabaseConnection } from '@florin/database';
import { chooseStores, type Stores } from './choose-adapters';
import type { Config } from './config';
import { openDatabaseServer } from './database-server';
import type { Log } from './log';

export interface EventLog extends Stores {
  /** Where the read models are, and how far each has got. */
  readonly connection: DatabaseConnection;
}

/** Only what is stored, for tools that work on it while no service has to run. */
export async function openEventLog(config: Config, log: Log): Promise<EventLog> {
  const server = await openDatabaseServer(config, log, (error) => {
    throw error;
  });
  try {
    await applyMigrations(server.connection);
    const { close, ...stores } = await chooseStores(config, server.connection);
    return {
      ...stores,
      connection: server.connection,
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
