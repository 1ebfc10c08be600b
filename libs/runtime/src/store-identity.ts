import type { EventStoreKind } from '@florin/database';
import {
  type EventStore,
  type NamedStore,
  openStore,
  readStoreHistory,
  type StoreOpener,
} from '@florin/event-sourcing';
import { randomId } from '@florin/kernel';
import type { Pool } from 'pg';
import { requireNoCopy } from './log-copy/copy-session';
import { StartupError } from './startup-error';

type Database = Pick<Pool, 'query'>;

export interface StoreIdentity {
  readonly kind: EventStoreKind;
  /** Null in a database of an earlier release, until a service has read the id from the store. */
  readonly id: string | null;
  /** The store had at least this position when its identity was recorded. */
  readonly position: bigint;
}

/**
 * Rejects an event store that the checkpoints and read models of the database were not built from: its log appears empty,
 * and acknowledged writes would never be shown. A database without a store gets this one. Returns the id that the store
 * itself must report from then on.
 */
export async function claimStore(
  database: Database,
  kind: EventStoreKind,
  store: EventStore,
  opener: StoreOpener,
): Promise<string | undefined> {
  await requireNoCopy(database);
  const recorded = await requireStore(database, kind, store);
  if (typeof recorded?.id === 'string') return idInStore(recorded);
  // Events in Postgres are in the database itself and cannot be exchanged without it.
  const id = kind === 'postgres' ? randomId() : await openStore(store, opener);
  await database.query(
    `INSERT INTO event_store.store_identity AS identity (kind, id) VALUES ($1, $2)
     ON CONFLICT (only_row) DO UPDATE SET id = excluded.id WHERE identity.id IS NULL AND identity.kind = excluded.kind`,
    [kind, id],
  );
  // Another process may have recorded a different store in the meantime.
  const claimed = await requireStore(database, kind, store);
  return claimed && idInStore(claimed);
}

/** The id that the store itself must report. Events in Postgres are in the database with the identity. */
function idInStore({ kind, id }: StoreIdentity): string | undefined {
  return kind === 'postgres' ? undefined : (id ?? undefined);
}

/** The same check for tools that only read: it records nothing. Returns the recorded identity, if there is one. */
export async function requireStore(
  database: Database,
  kind: EventStoreKind,
  store: EventStore,
): Promise<StoreIdentity | undefined> {
  const recorded = await readIdentity(database);
  if (recorded !== undefined && recorded.kind !== kind) throw otherKind(recorded.kind, kind);
  if (kind === 'eventstoredb') await requireServer(recorded, store);
  return recorded;
}

async function requireServer(recorded: StoreIdentity | undefined, store: EventStore): Promise<void> {
  const history = await readStoreHistory(store);
  if (history?.movedTo !== undefined) throw movedStore(history.movedTo);
  if (history?.isComplete === false) throw incompleteCopy();
  if (recorded === undefined) return;
  const { id, position } = recorded;
  const found = history?.storeId;
  if (id !== null && found !== id) {
    throw otherServer(found === undefined ? `it has no identity, and ${id} is expected` : `it is ${found}, not ${id}`);
  }
  const head = await store.head();
  if (head < position) throw otherServer(`it ends at ${head}, before position ${position} that was read from it`);
}

export async function readIdentity(database: Database): Promise<StoreIdentity | undefined> {
  const { rows } = await database.query<{ kind: EventStoreKind; id: string | null; position: string }>(
    'SELECT kind, id, position FROM event_store.store_identity',
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

function otherServer(difference: string): StartupError {
  return new StartupError(
    `The server of EVENTSTORE_URL is not the event store of this database: ${difference}. ` +
      'Correct EVENTSTORE_URL, or restore the server from its backup; see "Event store identity" in docs/OPERATIONS.md.',
  );
}
