import {
  type DatabaseConnection,
  type EventStoreKind,
  hasEmbeddedDatabase,
  inspectUser,
  markedEventStore,
} from '@florin/database';
import type { CopyTarget, EventStore } from '@florin/event-sourcing';
import { OrderedAppends, PostgresEventStore } from '@florin/event-store-postgres';
import { archiveDirectory } from '../choose-stores';
import type { Config } from '../config';
import { openDatabaseServer } from '../database-server';
import type { Log } from '../log';
import { noFlorin, requireSchema } from '../open-event-log';
import { StartupError } from '../startup-error';
import { CopySession, copySessionName } from './copy-session';

/** Both event stores of an installation, its database as the owner, and the session that keeps Florin stopped. */
export interface LogCopyStores {
  readonly connection: DatabaseConnection;
  readonly session: CopySession;
  readonly source: EventStore;
  readonly target: EventStore & CopyTarget;
  readonly isTransient: (error: unknown) => boolean;
  close(): Promise<void>;
}

/** No append is retried by the adapter itself, which could change the order. A busy server gets more time instead. */
const orderedWriter = { retryForMs: 0, appendTimeoutMs: 60_000 };

/** Opens the stores for `florin log copy`. Florin must be stopped. */
export async function openLogCopy(config: Config, from: EventStoreKind, log: Log): Promise<LogCopyStores> {
  const { DATABASE_URL, FLORIN_DATA_DIR } = config;
  if (DATABASE_URL === undefined && !hasEmbeddedDatabase(FLORIN_DATA_DIR)) throw noFlorin(config);
  const cleanups: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const EVENT_STORE = (markedEventStore(FLORIN_DATA_DIR) as EventStoreKind | undefined) ?? config.EVENT_STORE;
    const server = await openDatabaseServer(
      { ...config, EVENT_STORE },
      {
        role: 'auditor',
        log,
        prepare: (owner) => requireSchema(owner, config, false),
        onLost: (error) => {
          throw error;
        },
      },
    );
    cleanups.push(() => server.stop());
    const connection = { ...server.owner, application_name: copySessionName };
    if (!(await inspectUser(connection)).isOwner) {
      throw new StartupError(
        'The positions in this database can only be changed by its owner. Set DATABASE_OWNER_URL to the owner.',
      );
    }
    const session = await CopySession.open(connection);
    cleanups.push(() => session.close());
    await session.requireStopped();
    const postgres = await onPostgres(connection, config, cleanups);
    const { isTransientEventStoreError, ...eventStoreDb } = await onEventStoreDb(config.EVENTSTORE_URL!, cleanups);
    const [source, target] = from === 'postgres' ? [postgres, eventStoreDb] : [eventStoreDb, postgres];
    return {
      connection,
      session,
      source: source.store,
      target: target.target,
      isTransient: isTransientEventStoreError,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface OpenedStore {
  readonly store: EventStore;
  readonly target: EventStore & CopyTarget;
}

async function onPostgres(
  connection: DatabaseConnection,
  config: Config,
  cleanups: (() => Promise<void>)[],
): Promise<OpenedStore> {
  const store = new PostgresEventStore(connection, { archiveDirectory: archiveDirectory(config) });
  cleanups.push(() => store.close());
  const writer = new OrderedAppends(connection);
  cleanups.push(() => writer.close());
  return { store, target: asTarget(store, (events) => writer.append(events)) };
}

async function onEventStoreDb(url: string, cleanups: (() => Promise<void>)[]) {
  const { EventStoreDbEventStore, appendInOrder, isTransientEventStoreError } =
    await import('@florin/event-store-eventstoredb');
  const store = new EventStoreDbEventStore(url);
  cleanups.push(() => store.close());
  const writer = new EventStoreDbEventStore(url, orderedWriter);
  cleanups.push(() => writer.close());
  return { store, target: asTarget(store, (events) => appendInOrder(writer, events)), isTransientEventStoreError };
}

function asTarget(store: EventStore, appendInOrder: CopyTarget['appendInOrder']): EventStore & CopyTarget {
  return {
    append: (...args) => store.append(...args),
    readStream: (...args) => store.readStream(...args),
    readAll: (query) => store.readAll(query),
    head: () => store.head(),
    subscribe: (...args) => store.subscribe(...args),
    appendInOrder,
  };
}
