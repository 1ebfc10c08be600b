import { applyMigrations, type DatabaseConnection, hasEmbeddedDatabase, pendingMigrations } from '@florin/database';
import { resolve } from 'node:path';
import { explainDatabaseErrors } from './startup-error';
import { chooseStores, type Stores } from './choose-adapters';
import type { Config } from './config';
import { openDatabaseServer } from './database-server';
import type { Log } from './log';

export interface EventLog extends Stores {
  /** The database with the read models and checkpoints. */
  readonly connection: DatabaseConnection;
}

export interface EventLogOptions {
  /** Migrates an older database. A tool that only reads must not: an older release may be running on it. */
  readonly migrate: boolean;
}

/**
 * Opens the stores for tools, without starting a service. Never creates a database: an audit of an empty log in the wrong
 * place would pass.
 */
export async function openEventLog(config: Config, log: Log, { migrate }: EventLogOptions): Promise<EventLog> {
  if (config.DATABASE_URL === undefined && !hasEmbeddedDatabase(config.FLORIN_DATA_DIR)) throw noFlorin(config);
  const server = await openDatabaseServer(config, log, (error) => {
    throw error;
  });
  try {
    await provideSchema(server.connection, config, migrate);
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

async function provideSchema(connection: DatabaseConnection, config: Config, migrate: boolean): Promise<void> {
  const { isEmpty, pending } = await explainDatabaseErrors(config, () => pendingMigrations(connection));
  if (isEmpty) throw noFlorin(config);
  if (pending.length === 0) return;
  if (migrate) {
    await applyMigrations(connection);
    return;
  }
  throw new Error(
    `The database has the schema of an older release and lacks ${pending.join(', ')}; ` +
      'start this release on it once, or use the command line of that release.',
  );
}

function noFlorin({ DATABASE_URL, FLORIN_DATA_DIR }: Config): Error {
  return new Error(
    DATABASE_URL === undefined
      ? `There is no Florin in ${resolve(FLORIN_DATA_DIR)}: set FLORIN_DATA_DIR to a data folder of Florin, or DATABASE_URL to its database.`
      : 'There is no Florin in the database of DATABASE_URL: set it to the database of a Florin installation.',
  );
}
