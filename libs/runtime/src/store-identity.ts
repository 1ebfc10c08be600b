import type { EventStoreKind } from '@florin/database';
import {
  beforeFirst,
  type EventStore,
  type NamedStore,
  openStore,
  readStoreHistory,
  storeDifference,
  type StoreOpener,
  type StoreState,
} from '@florin/event-sourcing';
import { assert, randomId } from '@florin/kernel';
import type { Pool } from 'pg';
import { requireNoCopy } from './log-copy/copy-session';
import { StartupError } from './startup-error';

type Database = Pick<Pool, 'query'>;

export interface StoreIdentity {
  readonly kind: EventStoreKind;
  /** Null in a database of an earlier release, until a service has read the id from the store. */
  readonly id: string | null;
  /** The furthest position that was read from the store, also by the signer of the log. */
  readonly position: bigint;
}

/**
 * Rejects an event store that the checkpoints and read models of the database were not built from: its log appears empty,
 * and acknowledged writes would never be shown. A database without a store gets this one. Returns its identity.
 */
export async function claimStore(
  database: Database,
  kind: EventStoreKind,
  store: EventStore,
  opener: StoreOpener,
): Promise<string> {
  await requireNoCopy(database);
  const recorded = await requireStore(database, kind, store);
  if (typeof recorded?.id === 'string') return recorded.id;
  // Events in Postgres are in the database itself and cannot be exchanged without it.
  const id = kind === 'postgres' ? randomId() : await openStore(store, opener);
  await database.query(
    `INSERT INTO event_store.store_identity AS identity (kind, id) VALUES ($1, $2)
     ON CONFLICT (only_row) DO UPDATE SET id = excluded.id WHERE identity.id IS NULL AND identity.kind = excluded.kind`,
    [kind, id],
  );
  // Another process may have recorded a different store in the meantime.
  const claimed = await requireStore(database, kind, store);
  assert(typeof claimed?.id === 'string', () => 'the identity of the event store was recorded');
  return claimed.id;
}

/** The same check for tools that only read: it records nothing. Returns the recorded identity, if there is one. */
export async function requireStore(
  database: Database,
  kind: EventStoreKind,
  store: EventStore,
  acceptsOlderLog = false,
): Promise<StoreIdentity | undefined> {
  const recorded = await readIdentity(database);
  if (recorded !== undefined && recorded.kind !== kind) throw otherKind(recorded.kind, kind);
  // Events in Postgres are in the database with the identity.
  const id = kind === 'postgres' ? recorded?.id : await readServerId(store);
  if (recorded !== undefined) requireLog(recorded, { id, end: await store.head() }, acceptsOlderLog);
  return recorded;
}

/**
 * After the read models were rebuilt from a log that ends before what was read from it, an older copy: everything else that
 * reads the log continues at its end. The lost events exist no longer.
 */
export async function acceptOlderLog(database: Database, store: Pick<EventStore, 'head'>): Promise<void> {
  const head = await store.head();
  await database.query(
    `WITH identity AS (UPDATE event_store.store_identity SET position = $1 WHERE position > $1),
       webhooks AS (UPDATE webhooks.sent_up_to SET position = $1 WHERE position > $1)
     UPDATE event_store.subscription_shards SET position = $1, epoch = epoch + 1
     WHERE position > $1 AND subscription NOT LIKE 'checkpoint-sink-%'`,
    [head],
  );
}

async function readServerId(store: EventStore): Promise<string | undefined> {
  const history = await readStoreHistory(store);
  if (history?.movedTo !== undefined) throw movedStore(history.movedTo);
  if (history?.isComplete === false) throw incompleteCopy();
  return history?.storeId;
}

function requireLog(recorded: StoreIdentity, found: StoreState, acceptsOlderLog: boolean): void {
  const { kind, id, position } = recorded;
  const difference = storeDifference({ id, end: acceptsOlderLog ? beforeFirst : position }, found);
  if (difference !== undefined) throw otherLog(kind, difference, found.id === id && id !== null);
}

export async function readIdentity(database: Database): Promise<StoreIdentity | undefined> {
  const { rows } = await database.query<{ kind: EventStoreKind; id: string | null; position: string }>(
    `SELECT kind, id, greatest(position, (
       SELECT max(position) FROM event_store.subscription_shards WHERE subscription NOT LIKE 'checkpoint-sink-%'
     )) AS position FROM event_store.store_identity`,
  );
  const [row] = rows;
  return row && { ...row, position: BigInt(row.position) };
}

function otherKind(recorded: EventStoreKind, configured: EventStoreKind): StartupError {
  const url = recorded === 'eventstoredb' ? ' and EVENTSTORE_URL' : '';
  return new StartupError(
    `The events of this database are stored in ${recorded}, but EVENT_STORE is ${configured}. ` +
      `Set EVENT_STORE=${recorded}${url}, or choose another database or data folder.`,
  );
}

function movedStore({ kind }: NamedStore): StartupError {
  return new StartupError(
    `The log in the server of EVENTSTORE_URL was moved to ${kind} by \`florin log copy\`. Set EVENT_STORE=${kind}, or correct EVENTSTORE_URL.`,
  );
}

function incompleteCopy(): StartupError {
  return new StartupError(
    'The server of EVENTSTORE_URL has an unfinished copy of a log. Finish it with `florin log copy`, or correct EVENTSTORE_URL.',
  );
}

function otherLog(kind: EventStoreKind, difference: string, isOlder: boolean): StartupError {
  const replay = isOlder ? ', or accept the loss with `florin replay --older-log`' : '';
  const what =
    kind === 'postgres'
      ? `The log in this database is not the one that its checkpoints were built from: ${difference}. Restore the newest backup`
      : `The server of EVENTSTORE_URL is not the event store of this database: ${difference}. ` +
        'Correct EVENTSTORE_URL, or restore the newest copy of the server';
  return new StartupError(`${what}${replay}; see "Event store identity" in docs/OPERATIONS.md.`);
}
