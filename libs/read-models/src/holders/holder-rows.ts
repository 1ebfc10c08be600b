import { assert, assertNever, type KeyWrapper, type Metadata, openStoredKey, unsealText } from '@florin/kernel';
import {
  type HolderChanged,
  type HolderDetails,
  type HolderEvent,
  holderKeyContext,
  type HolderKind,
  type HolderRegistered,
  type HolderStatus,
} from '@florin/operations-domain';
import type { PoolClient } from 'pg';
import { upsertRows } from '../companies/upsert-rows';

export interface HolderRow {
  readonly id: string;
  readonly company_id: string;
  readonly environment: HolderRegistered['data']['environment'];
  readonly kind: HolderKind;
  readonly external_id: string;
  /** Null after the holder is erased. */
  name: string | null;
  email: string | null;
  metadata: Metadata | null;
  readonly created_at: string;
  updated_at: string;
  status: HolderStatus;
  revision: number;
}

/** The rows of the holders in a batch, by id. */
export type HolderRows = Map<string, HolderRow>;
/** The keys of the holders whose details the batch has, without destroyed ones. */
export type HolderKeys = ReadonlyMap<string, Uint8Array>;

export async function loadHolders(ids: readonly string[], tx: PoolClient): Promise<HolderRows> {
  // As JSON, which keeps times as text, like in the events.
  const text = 'SELECT to_json(holders) AS row FROM read_models.holders WHERE id = ANY($1)';
  const { rows } = await tx.query<{ row: HolderRow }>({ name: 'load-holders', text, values: [ids] });
  return new Map(rows.map(({ row }) => [row.id, row]));
}

export async function loadHolderKeys(
  ids: readonly string[],
  tx: PoolClient,
  vaultKeys: KeyWrapper,
): Promise<HolderKeys> {
  if (ids.length === 0) return new Map();
  const text = 'SELECT holder_id, key, wrapped_by FROM vault.holder_keys WHERE holder_id = ANY($1) AND key IS NOT NULL';
  const { rows } = await tx.query<HolderKeyRow>({ name: 'holder-keys', text, values: [ids] });
  const opened = rows.map(async ({ holder_id, key: bytes, wrapped_by: wrappedBy }): Promise<[string, Uint8Array]> => {
    return [holder_id, await openStoredKey({ bytes, wrappedBy }, holderKeyContext(holder_id), vaultKeys)];
  });
  return new Map(await Promise.all(opened));
}

interface HolderKeyRow {
  readonly holder_id: string;
  readonly key: Buffer;
  readonly wrapped_by: string | null;
}

/** The details that an event contains. */
export function hasDetails({ type, data }: HolderEvent): boolean {
  if (type === 'HolderRegistered') return true;
  if (type !== 'HolderChanged') return false;
  return [data.sealedName, data.sealedEmail, data.sealedMetadata].some((text) => text !== undefined);
}

type Sealed = HolderRegistered['data'] | HolderChanged['data'];

/** Undefined if the event does not change a detail, and null if its key is destroyed. */
export function detailsIn(data: Sealed, key: Uint8Array | undefined): Nullable<Partial<HolderDetails>> {
  const opened = (text: string | undefined): Partial<HolderDetails> | undefined => {
    if (text === undefined || key === undefined) return undefined;
    return JSON.parse(unsealText(key, data.holderId, text)) as Partial<HolderDetails>;
  };
  if ('sealed' in data) {
    const { name = null, email = null } = opened(data.sealed) ?? {};
    return { name, email, metadata: opened(data.sealedMetadata)?.metadata ?? null };
  }
  const { sealedName, sealedEmail, sealedMetadata } = data;
  return {
    ...(sealedName !== undefined && { name: opened(sealedName)?.name ?? null }),
    ...(sealedEmail !== undefined && { email: opened(sealedEmail)?.email ?? null }),
    ...(sealedMetadata !== undefined && { metadata: opened(sealedMetadata)?.metadata ?? null }),
  };
}

type Nullable<Details> = { [Name in keyof Details]: Details[Name] | null };

export function applyHolderEvent(
  rows: HolderRows,
  keys: HolderKeys,
  event: HolderEvent,
  { revision, recordedAt }: { readonly revision: number; readonly recordedAt: string },
): void {
  const { type, data } = event;
  const { holderId } = data;
  const row = rows.get(holderId);
  if (row !== undefined && row.revision >= revision) return;
  if (type === 'HolderRegistered') {
    rows.set(holderId, registeredRow(data, keys.get(holderId), revision));
    return;
  }
  assert(row !== undefined, `${type} is about holder ${holderId}, which no event before it has registered`);
  row.revision = revision;
  row.updated_at = recordedAt;
  switch (type) {
    case 'HolderChanged':
      Object.assign(row, detailsIn(data, keys.get(holderId)));
      row.status = data.status ?? row.status;
      return;
    case 'HolderStatusChanged':
      row.status = data.status;
      return;
    case 'HolderErased':
      row.status = 'inactive';
      row.name = null;
      row.email = null;
      row.metadata = null;
      return;
    default:
      assertNever(type);
  }
}

function registeredRow(data: HolderRegistered['data'], key: Uint8Array | undefined, revision: number): HolderRow {
  const { holderId: id, companyId: company_id, environment, kind, externalId: external_id, status } = data;
  const { name = null, email = null, metadata = null } = detailsIn(data, key);
  const facts = { id, company_id, environment, kind, external_id, status, revision };
  return { ...facts, name, email, metadata, created_at: data.createdAt, updated_at: data.createdAt };
}

export const saveHolders = upsertRows<HolderRow>('read_models.holders', 'id', [
  'id',
  'company_id',
  'environment',
  'kind',
  'external_id',
  'name',
  'email',
  'metadata',
  'created_at',
  'updated_at',
  'status',
  'revision',
]);
