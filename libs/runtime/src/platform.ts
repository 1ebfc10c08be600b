import {
  applyMigrations,
  createPool,
  createPrismaClient,
  type DatabaseConnection,
  type PrismaClient,
} from '@florin/database';
import { type CommandBus, type EventStore, ReadYourWrites, Progress, type SnapshotStore } from '@florin/event-sourcing';
import { type Clock, systemClock } from '@florin/kernel';
import { ApiKeyUsage } from '@florin/read-models';
import type { Pool } from 'pg';
import { reachingDatabase } from './cannot-start';
import { chooseMessaging, chooseSnapshots, chooseStores, type Messaging, type Stores } from './choose-adapters';
import type { Config } from './config';
import { openDatabaseServer } from './database-server';
import type { Log } from './log';
import type { Tracing } from './tracing/tracing.port';

/** Everything that modules stand on, opened and ready. */
export interface Platform extends Omit<Stores, 'close'>, Omit<Messaging, 'start' | 'close'> {
  readonly connection: DatabaseConnection;
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
  readonly pool: Pool;
  /** Typed reads, where the API is served. */
  readonly prisma: PrismaClient | undefined;
  readonly progress: Progress;
  readonly readYourWrites: ReadYourWrites;
  readonly keyUsage: ApiKeyUsage;
  close(): Promise<void>;
}

export interface PlatformOptions {
  readonly service: string;
  readonly api: boolean;
  readonly config: Config;
  readonly log: Log;
  readonly tracing: Tracing;
  /** Called when the platform breaks under us and the process can only end. */
  readonly onLost: (error: Error) => void;
}

export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const { config, log, onLost } = options;
  const server = await openDatabaseServer(config, log, onLost);
  try {
    const applied = await reachingDatabase(config, () => applyMigrations(server.connection));
    if (applied.length > 0) log.info({ migrations: applied }, 'Applied migrations');
    return await openOn(server.connection, options, () => server.stop());
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function openOn(
  connection: DatabaseConnection,
  { service, api, config, log, tracing, onLost }: PlatformOptions,
  stopServer: () => Promise<void>,
): Promise<Platform> {
  let closing = false;
  const onError = (error: Error): void => {
    // One that we are closing may hear of the server's end before its own.
    if (!closing) log.warn({ err: error }, 'A database connection broke; it will be opened anew');
  };
  const pool = createPool(connection, { max: 5, applicationName: 'florin-queries', onError });
  const prisma = api ? createPrismaClient(connection, { max: 5, onError }) : undefined;
  const { close: closeStores, ...stores } = await chooseStores(config, connection);
  const snapshots = chooseSnapshots(connection, log);
  const { isOutage } = stores;
  const messagingOptions = { service, log, isOutage, onLost };
  const { start, close: closeMessaging, ...messaging } = await chooseMessaging(config, messagingOptions);
  const store: EventStore = tracing.store(stores.store);
  const bus: CommandBus = tracing.bus(messaging.bus);
  const progress = new Progress();
  const readYourWrites = new ReadYourWrites({ store, checkpoints: stores.checkpoints, progress });
  const keyUsage = new ApiKeyUsage(pool, {
    onError: (error) => log.warn({ err: error }, 'Could not write down when keys were last used; trying again'),
  });
  // The first query of Prisma costs a fifth of a second: better now than in somebody's request.
  await Promise.all([prisma && prisma.$queryRaw`SELECT 1`, start()]);
  return {
    ...stores,
    ...messaging,
    connection,
    store,
    snapshots,
    bus,
    clock: systemClock,
    pool,
    prisma,
    progress,
    readYourWrites,
    keyUsage,
    close: async () => {
      await keyUsage.close();
      await closeMessaging();
      await closeStores();
      await snapshots.close();
      closing = true;
      await Promise.all([pool.end(), prisma?.$disconnect()]);
      await stopServer();
    },
  };
}
