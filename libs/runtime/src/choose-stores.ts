import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { type DatabaseConnection, DatabaseProbe, isTransientDatabaseError } from '@florin/database';
import { type CheckpointStore, type EventStore, isStoreMismatch, type Position } from '@florin/event-sourcing';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { PostgresSnapshotStore } from '@florin/snapshot-store-postgres';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import type { Config } from './config';
import { checkTimeoutMs } from './health';
import type { Log } from './log';
import { StartupError } from './startup-error';
import type { IsOutage } from './transient';

export interface Stores {
  readonly store: EventStore;
  readonly checkpoints: CheckpointStore<PoolClient>;
  readonly isOutage: IsOutage;
  /** Translates an error at the start into a message with the remedy, if it is one of the configuration. */
  explain(error: unknown): unknown;
  /** The identity that the store must have from now on. Another one is refused with `EventStoreMismatch`. */
  expectIdentity(id: string): void;
  /** Rejects if the store does not respond within `checkTimeoutMs`, or has another identity. */
  probe(): Promise<void>;
  /** Call after the last command and the last subscription have ended. */
  close(): Promise<void>;
}

/**
 * Only this file and choose-messaging.ts choose the adapters of the ports. Optional adapters are loaded on demand: each takes
 * about 300 ms to load, also in the projector thread.
 */
export async function chooseStores(config: Config, connection: DatabaseConnection): Promise<Stores> {
  const checkpoints = new PostgresCheckpointStore(connection);
  const {
    store,
    close: closeStore,
    ...rest
  } = config.EVENT_STORE === 'postgres' ? onPostgres(connection, config) : await onEventStoreDb(config, checkpoints);
  const close = async (): Promise<void> => {
    await checkpoints.close();
    await closeStore();
  };
  return { ...rest, store, checkpoints, close };
}

type ChosenStore = Omit<Stores, 'checkpoints'>;

/** The folder with the events that `florin archive` has moved out of the database. */
export function archiveDirectory({ ARCHIVE_DIR, FLORIN_DATA_DIR }: Config): string {
  return ARCHIVE_DIR ?? join(FLORIN_DATA_DIR, 'archive');
}

function onPostgres(connection: DatabaseConnection, config: Config): ChosenStore {
  const store = new PostgresEventStore(connection, { archiveDirectory: archiveDirectory(config) });
  const database = new DatabaseProbe(connection, checkTimeoutMs);
  return {
    store,
    isOutage: (error) => isTransientDatabaseError(error) || isStoreMismatch(error),
    explain: (error) => error,
    expectIdentity: (id) => store.expectIdentity(id),
    probe: () => database.check((connection) => store.requireIdentity(connection)),
    close: async () => {
      await database.close();
      await store.close();
    },
  };
}

async function onEventStoreDb(config: Config, checkpoints: PostgresCheckpointStore): Promise<ChosenStore> {
  const url = config.EVENTSTORE_URL!;
  // The request takes some time before and after its append.
  const timeoutMs = config.EVENT_STORE_WRITE_TIMEOUT_SECONDS * 950;
  const adapter = await import('@florin/event-store-eventstoredb');
  const problem = await adapter.findServerProblem(url);
  if (problem !== undefined) throw new StartupError(problem);
  // A write has time for a second attempt, at another leader.
  const timeouts = { retryForMs: timeoutMs, appendTimeoutMs: timeoutMs / 2, streamTimeoutMs: timeoutMs };
  const furthestPosition = (): Promise<Position> => checkpoints.furthestPosition();
  const store = new adapter.EventStoreDbEventStore(url, { ...timeouts, furthestPosition });
  return {
    store,
    isOutage: (error) => isTransientDatabaseError(error) || adapter.isTransientEventStoreError(error),
    explain: (error) => {
      const denied = adapter.accessProblem(error);
      return denied === undefined ? error : new StartupError(denied, { cause: error });
    },
    expectIdentity: (id) => store.expectIdentity(id),
    probe: () => store.probe(checkTimeoutMs),
    close: () => store.close(),
  };
}

/** Always in Postgres, because every service is connected to it, also with another event store. */
export function chooseSnapshots(connection: DatabaseConnection, log: Log): PostgresSnapshotStore {
  return new PostgresSnapshotStore(connection, { log });
}
