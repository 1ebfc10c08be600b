import {
  createPool,
  type DatabaseConnection,
  type DatabaseRole,
  hasEmbeddedDatabase,
  pendingMigrations,
} from '@florin/database';
import type { EventStore } from '@florin/event-sourcing';
import { resolve } from 'node:path';
import { chooseStores, type Stores } from './choose-adapters';
import type { Config } from './config';
import { openDatabaseServer } from './database-server';
import type { Log } from './log';
import { prepareDatabase } from './prepare-database';
import { requireStore } from './store-identity';

export interface EventLog extends Stores {
  /** The database with the read models and checkpoints. */
  readonly connection: DatabaseConnection;
}

export interface EventLogOptions {
  /** Migrates an older database. A tool that only reads must not: an older release may be running on it. */
  readonly migrate: boolean;
  /** The role with the rights that the tool needs. */
  readonly role: DatabaseRole;
}

/**
 * Opens the stores for tools, without starting a service. Never creates a database: an audit of an empty log in the wrong
 * place would pass.
 */
export async function openEventLog(config: Config, log: Log, { migrate, role }: EventLogOptions): Promise<EventLog> {
  if (config.DATABASE_URL === undefined && !hasEmbeddedDatabase(config.FLORIN_DATA_DIR)) throw noFlorin(config);
  const server = await openDatabaseServer(config, {
    role,
    log,
    prepare: (owner) => provideSchema(owner, config, log, migrate),
    onLost: (error) => {
      throw error;
    },
  });
  try {
    const { close, ...stores } = await chooseStores(config, server.connection);
    await requireStoreOf(server.connection, config, stores.store).catch(async (error: unknown) => {
      await close();
      throw error;
    });
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

/** An audit of a log in the wrong store would pass. */
async function requireStoreOf(
  connection: DatabaseConnection,
  { EVENT_STORE }: Config,
  store: EventStore,
): Promise<void> {
  const pool = createPool(connection, { max: 1 });
  try {
    await requireStore(pool, EVENT_STORE, store);
  } finally {
    await pool.end();
  }
}

async function provideSchema(owner: DatabaseConnection, config: Config, log: Log, migrate: boolean): Promise<void> {
  const { isEmpty, pending } = await pendingMigrations(owner);
  if (isEmpty) throw noFlorin(config);
  if (pending.length > 0 && !migrate) {
    throw new Error(
      `The database has the schema of an older release and lacks ${pending.join(', ')}; ` +
        'start this release on it once, or use the command line of that release.',
    );
  }
  // A data folder may be of a release without roles. No Florin runs on it, so adding them affects nothing else.
  if (migrate || config.DATABASE_URL === undefined) await prepareDatabase(owner, log);
}

function noFlorin({ DATABASE_URL, FLORIN_DATA_DIR }: Config): Error {
  return new Error(
    DATABASE_URL === undefined
      ? `There is no Florin in ${resolve(FLORIN_DATA_DIR)}: set FLORIN_DATA_DIR to a data folder of Florin, or DATABASE_URL to its database.`
      : 'There is no Florin in the database of DATABASE_URL: set it to the database of a Florin installation.',
  );
}
