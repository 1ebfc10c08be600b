import {
  applyMigrations,
  createPool,
  createPrismaClient,
  type DatabaseConnection,
  type PrismaClient,
} from '@florin/database';
import { type CommandBus, type EventStore, Freshness, Progress } from '@florin/event-sourcing';
import { type Clock, systemClock } from '@florin/kernel';
import { ApiKeyUsage } from '@florin/read-models';
import type { Pool } from 'pg';
import { type Adapters, chooseAdapters } from './choose-adapters';
import type { Config } from './config';
import { openDatabaseServer } from './database-server';
import type { Log } from './log';
import type { Tracing } from './tracing/tracing';

/** Everything that modules stand on, opened and ready. */
export interface Platform extends Omit<Adapters, 'close'> {
  readonly connection: DatabaseConnection;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  readonly progress: Progress;
  readonly freshness: Freshness;
  readonly keyUsage: ApiKeyUsage;
  close(): Promise<void>;
}

export interface PlatformOptions {
  readonly config: Config;
  readonly log: Log;
  readonly tracing: Tracing;
  /** Called when the platform breaks under us and the process can only end. */
  readonly onLost: (error: Error) => void;
}

export async function openPlatform({ config, log, tracing, onLost }: PlatformOptions): Promise<Platform> {
  const server = await openDatabaseServer(config, log, onLost);
  try {
    const applied = await applyMigrations(server.connection);
    if (applied.length > 0) log.info({ migrations: applied }, 'Applied migrations');
    return await openOn(server.connection, { config, log, tracing }, () => server.stop());
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function openOn(
  connection: DatabaseConnection,
  { config, log, tracing }: Omit<PlatformOptions, 'onLost'>,
  stopServer: () => Promise<void>,
): Promise<Platform> {
  const onError = (error: Error): void =>
    log.warn({ err: error }, 'A database connection broke; it will be opened anew');
  const pool = createPool(connection, { max: 5, applicationName: 'florin-queries', onError });
  const prisma = createPrismaClient(connection, { max: 5, onError });
  const { close, ...adapters } = chooseAdapters(config, connection, log);
  const store: EventStore = tracing.store(adapters.store);
  const bus: CommandBus = tracing.bus(adapters.bus);
  const progress = new Progress();
  const freshness = new Freshness({ store, checkpoints: adapters.checkpoints, progress });
  const keyUsage = new ApiKeyUsage(pool, {
    onError: (error) => log.warn({ err: error }, 'Could not write down when keys were last used; trying again'),
  });
  // The first query of Prisma costs a fifth of a second: better now than in somebody's request.
  await prisma.$queryRaw`SELECT 1`;
  return {
    ...adapters,
    connection,
    store,
    bus,
    clock: systemClock,
    pool,
    prisma,
    progress,
    freshness,
    keyUsage,
    close: async () => {
      await keyUsage.close();
      await close();
      await Promise.all([pool.end(), prisma.$disconnect()]);
      await stopServer();
    },
  };
}
