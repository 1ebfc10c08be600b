import { createPool, DatabaseProbe, type DatabaseConnection, isDatabaseRole } from '@florin/database';
import { type CommandBus, type EventStore, ReadYourWrites, Progress, type SnapshotStore } from '@florin/event-sourcing';
import { florinVersion } from '@florin/http-api';
import { type Clock, systemClock } from '@florin/kernel';
import { ApiKeyUsage, ReadDatabase } from '@florin/read-models';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { chooseMessaging, type Messaging } from './choose-messaging';
import { chooseSnapshots, chooseStores, type Stores } from './choose-stores';
import { Cleanup } from './cleanup';
import type { Config } from './config';
import { type DatabaseServer, openDatabaseServer } from './database-server';
import { checkTimeoutMs, type HealthCheck } from './health';
import type { Log } from './log';
import { prepareDatabase, warnAboutOwner } from './prepare-database';
import { isUnreachableDatabase } from './startup-error';
import { claimStore } from './store-identity';
import type { Tracing } from './tracing/tracing.port';
import { unlessCancelled, untilAvailable, type Waiting } from './until-available';
import { openVault, requireVaultKey, type Vault, type VaultTableName } from './vault/vault';

/** The ports and backing services that modules use, opened and ready. */
export interface Platform
  extends Omit<Stores, 'probe' | 'close' | 'expectIdentity' | 'explain'>, Omit<Messaging, 'start' | 'close'> {
  readonly connection: DatabaseConnection;
  /** The identity of the event store. */
  readonly storeId: string;
  readonly checkDatabase: HealthCheck;
  readonly checkStore: HealthCheck;
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
  readonly pool: Pool;
  /** Only in a service that uses it. */
  readonly vault: Vault | undefined;
  /** The reads of the API; only in a service that serves it. */
  readonly reads: ReadDatabase | undefined;
  readonly progress: Progress;
  readonly readYourWrites: ReadYourWrites;
  readonly keyUsage: ApiKeyUsage;
  close(): Promise<void>;
}

export interface PlatformOptions {
  readonly service: string;
  readonly api: boolean;
  readonly vaultTables: readonly VaultTableName[];
  readonly config: Config;
  readonly log: Log;
  readonly tracing: Tracing;
  /** Called when a backing service is lost and the process has to end. */
  readonly onLost: (error: Error) => void;
  readonly waiting: Waiting;
}

/** The API waits this long for the bus, so that it is usually ready for writes, too. Then it serves reads without it. */
const maxBusWaitMs = 15_000;

export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const { service, config, log, onLost, vaultTables, waiting } = options;
  if (vaultTables.length > 0) requireVaultKey(config);
  const role = isDatabaseRole(service) ? service : 'all-in-one';
  const prepare = (owner: DatabaseConnection): Promise<void> => prepareDatabase(owner, log);
  const open = (): Promise<DatabaseServer> => openDatabaseServer(config, { role, log, prepare, onLost });
  const cleanup = new Cleanup();
  try {
    const server = await untilAvailable('the database', open, isUnreachableDatabase, waiting);
    cleanup.add(() => server.stop());
    if (config.DATABASE_URL !== undefined) await warnAboutOwner(server.connection, log);
    return await openOn(server.connection, options, cleanup);
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function openOn(connection: DatabaseConnection, options: PlatformOptions, cleanup: Cleanup): Promise<Platform> {
  const { service, api, vaultTables, config, log, tracing, onLost, waiting } = options;
  const onError = (error: Error): void => {
    // During a shutdown the server may end before the pool does.
    if (!cleanup.isRunning) log.warn({ err: error }, 'A database connection broke and will be reopened');
  };
  const pool = createPool(connection, { max: 5, applicationName: 'florin-queries', onError });
  cleanup.add(() => pool.end());
  const vault = await openVaultOf(vaultTables, config, pool, log);
  const reads = api ? openReads(connection, config, onError) : undefined;
  cleanup.add(async () => reads?.close());
  const { storeId, probe, ...stores } = await openStores(connection, pool, options, cleanup);
  const database = new DatabaseProbe(connection, checkTimeoutMs);
  cleanup.add(() => database.close());
  const snapshots = chooseSnapshots(connection, log);
  cleanup.add(() => snapshots.close());
  const messagingOptions = { service, log, isOutage: stores.isOutage, onLost };
  const { start, close: closeMessaging, ...messaging } = await chooseMessaging(config, messagingOptions);
  cleanup.add(closeMessaging);
  const store: EventStore = tracing.store(stores.store);
  const bus: CommandBus = tracing.bus(messaging.bus);
  const progress = new Progress();
  const readYourWrites = new ReadYourWrites({
    ...{ store, checkpoints: stores.checkpoints, progress },
    headTimeoutMs: config.EVENT_STORE_READ_TIMEOUT_SECONDS * 1_000,
  });
  const keyUsage = new ApiKeyUsage(pool, {
    onError: (error) => log.warn({ err: error }, 'Could not store when keys were last used; retrying'),
  });
  cleanup.add(() => keyUsage.close());
  await reads?.warmUp();
  const busStarted = start();
  await unlessCancelled('the command bus', api ? withoutLongWait(busStarted) : busStarted, waiting);
  busStarted.catch((error: unknown) => void (cleanup.isRunning || onLost(error as Error)));
  const checkDatabase = async (): Promise<true> => {
    await database.check();
    return true;
  };
  return {
    ...stores,
    ...messaging,
    connection,
    storeId,
    checkDatabase,
    checkStore: async () => {
      await probe();
      return true;
    },
    store,
    snapshots,
    bus,
    clock: systemClock,
    pool,
    vault,
    reads,
    progress,
    readYourWrites,
    keyUsage,
    close: () => cleanup.run(),
  };
}

/** Reads need no bus: without it, only requests that need it fail, and health shows it. */
async function withoutLongWait(busStarted: Promise<void>): Promise<void> {
  await Promise.race([busStarted, delay(maxBusWaitMs, undefined, { ref: false })]);
}

/** The event store, once it is reachable and is the one that the database belongs to. */
async function openStores(
  connection: DatabaseConnection,
  pool: Pool,
  { service, config, waiting }: PlatformOptions,
  cleanup: Cleanup,
): Promise<Omit<Stores, 'close' | 'expectIdentity' | 'explain'> & { readonly storeId: string }> {
  const { close, expectIdentity, explain, ...stores } = await chooseStores(config, connection);
  cleanup.add(close);
  const opener = { service, florinVersion, clock: systemClock };
  const claim = async (): Promise<string> => {
    try {
      return await claimStore(pool, config.EVENT_STORE, stores.store, opener);
    } catch (error) {
      throw explain(error);
    }
  };
  const storeId = await untilAvailable('the event store', claim, stores.isOutage, waiting);
  expectIdentity(storeId);
  return { ...stores, storeId };
}

function openReads(connection: DatabaseConnection, config: Config, onError: (error: Error) => void): ReadDatabase {
  return new ReadDatabase(connection, {
    applicationName: 'florin-reads',
    connections: config.READ_CONNECTIONS,
    maxWaiting: config.READ_QUEUE_SIZE,
    statementTimeoutMs: config.READ_TIMEOUT_SECONDS * 1_000,
    onError,
  });
}

async function openVaultOf(
  tables: readonly VaultTableName[],
  config: Config,
  pool: Pool,
  log: Log,
): Promise<Vault | undefined> {
  return tables.length === 0 ? undefined : openVault(config, pool, tables, log);
}
