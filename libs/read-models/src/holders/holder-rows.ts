import { assert, assertNever, type KeyWrapper, openStoredKey, unsealText } from '@florin/kernel';
import {
  type HolderEvent,
  holderKeyContext,
  type HolderKind,
  type HolderRegistered,
  type HolderStatus,
  type PersonalData,
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
  readonly created_at: string;
  status: HolderStatus;
  revision: number;
}

/** The rows of the holders in a batch, by id. */
export type HolderRows = Map<string, HolderRow>;
/** The keys of the holders that the batch registers, without destroyed ones. */
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

export function applyHolderEvent(rows: HolderRows, keys: HolderKeys, event: HolderEvent, revision: number): void {
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
  switch (type) {
    case 'HolderStatusChanged':
      row.status = data.status;
      return;
    case 'HolderErased':
      row.status = 'inactive';
      row.name = null;
      row.email = null;
      return;
    default:
      assertNever(type);
  }
}

function registeredRow(data: HolderRegistered['data'], key: Uint8Array | undefined, revision: number): HolderRow {
  const { holderId: id, companyId: company_id, environment, kind, externalId: external_id, status, sealed } = data;
  const person = key === undefined ? undefined : (JSON.parse(unsealText(key, id, sealed)) as PersonalData);
  const { name = null, email = null } = person ?? {};
  return { id, company_id, environment, kind, external_id, name, email, created_at: data.createdAt, status, revision };
}

export const saveHolders = upsertRows<HolderRow>('read_models.holders', 'id', [
  'id',
  'company_id',
  'environment',
  'kind',
  'external_id',
  'name',
  'email',
  'created_at',
  'status',
  'revision',
]);
