import {
  type ApiKeyEvent,
  type ApiKeyIssued,
  type Environment,
  rotateSecrets,
  type Scope,
  type SecretExpiries,
} from '@florin/companies-domain';
import { type Actor, assert, assertNever } from '@florin/kernel';
import type { PoolClient } from 'pg';
import { upsertRows } from './upsert-rows';

export interface ApiKeyRow {
  readonly key_id: string;
  readonly company_id: string;
  readonly environment: Environment;
  readonly name: string;
  readonly scopes: readonly Scope[];
  hint: string;
  readonly issued_at: string;
  readonly expires_at: string;
  revoked_at: string | null;
  /** Who did it; null for events of early releases. */
  readonly created_by: Actor | null;
  rotated_by: Actor | null;
  revoked_by: Actor | null;
}

interface SecretRow {
  readonly secret_hash: string;
  readonly key_id: string;
  readonly valid_until: string;
}

interface KeyWithSecrets {
  readonly row: ApiKeyRow;
  readonly secrets: SecretExpiries;
}

/** The rows of the keys in a batch, by id. */
export type ApiKeyRows = Map<string, KeyWithSecrets>;

/** As JSON, which keeps times as text, like in the events. */
const keysWithSecrets = `
  SELECT to_json(keys) AS row,
         (SELECT json_object_agg(secret_hash, valid_until) FROM read_models.api_key_secrets AS secrets
          WHERE secrets.key_id = keys.key_id) AS secrets
  FROM read_models.api_keys AS keys
  WHERE key_id = ANY($1)`;

export async function loadApiKeys(keyIds: readonly string[], tx: PoolClient): Promise<ApiKeyRows> {
  const { rows } = await tx.query<{ row: ApiKeyRow; secrets: Record<string, string> }>({
    name: 'load-api-keys',
    text: keysWithSecrets,
    values: [keyIds],
  });
  return new Map(rows.map(({ row, secrets }) => [row.key_id, { row, secrets: new Map(Object.entries(secrets)) }]));
}

export function applyApiKeyEvent(keys: ApiKeyRows, { type, data }: ApiKeyEvent, actor: Actor | null): void {
  if (type === 'ApiKeyIssued') {
    keys.set(data.keyId, { row: issuedRow(data, actor), secrets: new Map([[data.secretHash, data.expiresAt]]) });
    return;
  }
  const key = keys.get(data.keyId);
  assert(key !== undefined, `${type} is about API key ${data.keyId}, which no event before it has issued`);
  switch (type) {
    case 'ApiKeyRotated':
      key.row.hint = data.hint;
      key.row.rotated_by = actor;
      rotateSecrets(key.secrets, data, key.row.expires_at);
      return;
    case 'ApiKeyRevoked':
      key.row.revoked_at = data.revokedAt;
      key.row.revoked_by = actor;
      return;
    default:
      assertNever(type);
  }
}

function issuedRow(issued: ApiKeyIssued['data'], actor: Actor | null): ApiKeyRow {
  return {
    key_id: issued.keyId,
    company_id: issued.companyId,
    environment: issued.environment,
    name: issued.name,
    scopes: issued.scopes,
    hint: issued.hint,
    issued_at: issued.issuedAt,
    expires_at: issued.expiresAt,
    revoked_at: null,
    created_by: actor,
    rotated_by: null,
    revoked_by: null,
  };
}

const saveKeyRows = upsertRows<ApiKeyRow>('read_models.api_keys', 'key_id', [
  'key_id',
  'company_id',
  'environment',
  'name',
  'scopes',
  'hint',
  'issued_at',
  'expires_at',
  'revoked_at',
  'created_by',
  'rotated_by',
  'revoked_by',
]);

const saveSecretRows = upsertRows<SecretRow>('read_models.api_key_secrets', 'secret_hash', [
  'secret_hash',
  'key_id',
  'valid_until',
]);

export async function saveApiKeys(keys: ApiKeyRows, tx: PoolClient): Promise<void> {
  const all = [...keys.values()];
  const secrets = all.flatMap(({ row, secrets: lives }) =>
    [...lives].map(([secret_hash, valid_until]) => ({ secret_hash, key_id: row.key_id, valid_until })),
  );
  await saveKeyRows(
    all.map(({ row }) => row),
    tx,
  );
  await saveSecretRows(secrets, tx);
}
