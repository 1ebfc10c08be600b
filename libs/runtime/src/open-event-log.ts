import {
  createPool,
  type DatabaseConnection,
  type DatabaseRole,
  hasEmbeddedDatabase,
  pendingMigrations,
  runningDatabase,
} from '@florin/database';
import type { EventStore } from '@florin/event-sourcing';
import { resolve } from 'node:path';
import { chooseStores, type Stores } from './choose-stores';
import type { Config } from './config';
import { type DatabaseServer, openDatabaseServer } from './database-server';
import type { Log } from './log';
import { prepareDatabase } from './prepare-database';
import { requireStore } from './store-identity';

export interface EventLog extends Omit<Stores, 'expectIdentity' | 'explain'> {
  /** The database with the read models and checkpoints. */
  readonly connection: DatabaseConnection;
  /** The identity of the event store; null if no service has recorded it yet. */
  readonly storeId: string | null;
  /** Stops the server that this process has started, if any, without waiting for queries in progress. */
  abandon(): Promise<void>;
}

export interface EventLogOptions {
  /** Migrates an older database. A tool that only reads must not: an older release may be running on it. */
  readonly migrate: boolean;
  /** The role with the rights that the tool needs. */
  readonly role: DatabaseRole;
  /** Opens a log that ends before what was read from it. */
  readonly acceptsOlderLog?: boolean;
  /** Only reads, so it also works beside a Florin that runs on the data folder. */
  readonly readOnly?: boolean;
  /** Writes, and works beside a Florin that runs on the data folder. */
  readonly besideFlorin?: boolean;
}

/**
 * Opens the stores for tools, without starting a service. Never creates a database: an audit of an empty log in the wrong
 * place would pass.
 */
export async function openEventLog(config: Config, log: Log, options: EventLogOptions): Promise<EventLog> {
  if (config.DATABASE_URL === undefined && !hasEmbeddedDatabase(config.FLORIN_DATA_DIR)) throw noFlorin(config);
  const server = await openServer(config, log, options);
  try {
    const { close, expectIdentity, explain, ...stores } = await chooseStores(config, server.connection);
    const storeId = await requireStoreOf(server.connection, config, stores.store, options).catch(
      async (error: unknown) => {
        await close();
        throw error;
      },
    );
    if (storeId !== null) expectIdentity(storeId);
    return {
      ...stores,
      connection: server.connection,
      storeId,
      abandon: () => server.stop(),
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

async function openServer(config: Config, log: Log, options: EventLogOptions): Promise<DatabaseServer> {
  const { migrate, role, readOnly = false, besideFlorin = readOnly } = options;
  const { DATABASE_URL, FLORIN_DATA_DIR } = config;
  const running =
    besideFlorin && DATABASE_URL === undefined ? runningDatabase(FLORIN_DATA_DIR, role, { readOnly }) : undefined;
  if (running !== undefined) {
    await requireSchema(running, config, false);
    return { connection: running, owner: running, stop: async () => undefined };
  }
  return openDatabaseServer(config, {
    role,
    log,
    prepare: async (owner) => {
      await requireSchema(owner, config, migrate);
      // A data folder may be of a release without roles. No Florin runs on it, so adding them affects nothing else.
      if (migrate || DATABASE_URL === undefined) await prepareDatabase(owner, log);
    },
    onLost: (error) => {
      throw error;
    },
  });
}

/** An audit of a log in the wrong store would pass. Returns the identity of the store. */
async function requireStoreOf(
  connection: DatabaseConnection,
  { EVENT_STORE }: Config,
  store: EventStore,
  { acceptsOlderLog }: EventLogOptions,
): Promise<string | null> {
  const pool = createPool(connection, { max: 1 });
  try {
    return (await requireStore(pool, EVENT_STORE, store, acceptsOlderLog))?.id ?? null;
  } finally {
    await pool.end();
  }
}

export async function requireSchema(database: DatabaseConnection, config: Config, migrate: boolean): Promise<void> {
  const { isEmpty, pending } = await pendingMigrations(database);
  if (isEmpty) throw noFlorin(config);
  if (pending.length > 0 && !migrate) {
    throw new Error(
      `The database has the schema of an older release and lacks ${pending.join(', ')}; ` +
        'start this release on it once, or use the command line of that release.',
    );
  }
}

export function noFlorin({ DATABASE_URL, FLORIN_DATA_DIR }: Config): Error {
  return new Error(
    DATABASE_URL === undefined
      ? `There is no Florin in ${resolve(FLORIN_DATA_DIR)}: set FLORIN_DATA_DIR to a data folder of Florin, or DATABASE_URL to its database.`
      : 'There is no Florin in the database of DATABASE_URL: set it to the database of a Florin installation.',
  );
}
