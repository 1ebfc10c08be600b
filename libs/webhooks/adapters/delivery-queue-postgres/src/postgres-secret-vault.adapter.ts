import { randomBytes } from 'node:crypto';
import { type KeyWrapper, type RewrappedKeys, rewrapRows, type VaultTable } from '@florin/kernel';
import type { SecretVault } from '@florin/webhooks-domain';
import type { Pool } from 'pg';
import { openSecret, secretContext } from './stored-secret';

interface SecretRow {
  readonly secret_id: string;
  readonly endpoint_id: string;
  /** Either the secret itself, or the wrapped secret with the id of the vault key. */
  readonly secret: string | null;
  readonly wrapped: Buffer | null;
  readonly wrapped_by: string | null;
}

/** Sorts before every secret. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Secrets of one endpoint that are kept: more than sign, because requests that were never completed leave some behind. */
const maxStored = 20;

/** Secrets in `vault.webhook_secrets`, wrapped with the vault key. Concurrent calls for the same id all return the secret stored first. */
export class PostgresSecretVault implements SecretVault, VaultTable {
  readonly name = 'webhook secrets';

  constructor(
    private readonly pool: Pool,
    private readonly keys: KeyWrapper,
  ) {}

  async create(endpointId: string, secretId: string): Promise<string> {
    const created = Buffer.from(`whsec_${randomBytes(32).toString('base64url')}`);
    const { wrapped, keyId } = await this.keys.wrap(created, secretContext(secretId, endpointId));
    await this.pool.query(
      `INSERT INTO vault.webhook_secrets (secret_id, endpoint_id, wrapped, wrapped_by) VALUES ($1, $2, $3, $4)
       ON CONFLICT (secret_id) DO NOTHING`,
      [secretId, endpointId, wrapped, keyId],
    );
    const secret = (await this.read([secretId])).get(secretId);
    if (secret === undefined) throw new Error(`Secret ${secretId} was deleted while it was created. Create a new one.`);
    return secret;
  }

  async read(secretIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.pool.query<SecretRow>(
      'SELECT secret_id, endpoint_id, secret, wrapped, wrapped_by FROM vault.webhook_secrets WHERE secret_id = ANY ($1)',
      [secretIds],
    );
    const opened = rows.map(async (row): Promise<[string, string]> => {
      const { id, ...stored } = storedSecretOf(row);
      return [id, await openSecret(stored, this.keys)];
    });
    return new Map(await Promise.all(opened));
  }

  async discard(endpointId: string, secretId: string): Promise<void> {
    const text = 'DELETE FROM vault.webhook_secrets WHERE secret_id = $1 AND endpoint_id = $2';
    await this.pool.query(text, [secretId, endpointId]);
  }

  async destroyOld(endpointId: string): Promise<void> {
    await this.pool.query(
      `DELETE FROM vault.webhook_secrets
       WHERE endpoint_id = $1 AND created_at < now() - interval '10 minutes' AND secret_id NOT IN (
         SELECT secret_id FROM vault.webhook_secrets WHERE endpoint_id = $1 ORDER BY created_at DESC LIMIT $2
       )`,
      [endpointId, maxStored],
    );
  }

  async destroy(endpointId: string): Promise<void> {
    await this.pool.query('DELETE FROM vault.webhook_secrets WHERE endpoint_id = $1', [endpointId]);
  }

  async countByVaultKey(): Promise<ReadonlyMap<string | null, number>> {
    const { rows } = await this.pool.query<{ wrapped_by: string | null; count: number }>(
      'SELECT wrapped_by, count(*)::integer AS count FROM vault.webhook_secrets GROUP BY wrapped_by',
    );
    return new Map(rows.map(({ wrapped_by, count }) => [wrapped_by, count]));
  }

  async rewrap(after: string | undefined, limit: number): Promise<RewrappedKeys> {
    const { rows } = await this.pool.query<SecretRow>(
      `SELECT secret_id, endpoint_id, secret, wrapped, wrapped_by FROM vault.webhook_secrets
       WHERE secret_id > $1 AND wrapped_by IS DISTINCT FROM $2 ORDER BY secret_id LIMIT $3`,
      [after ?? beforeAll, await this.keys.currentKeyId(), limit],
    );
    const { rewrapped, failed } = await rewrapRows(rows.map(storedSecretOf), this.keys);
    const { rowCount } = await this.pool.query(
      `UPDATE vault.webhook_secrets known SET secret = NULL, wrapped = rewrapped.wrapped, wrapped_by = rewrapped.key_id
       FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::text[]) AS rewrapped (secret_id, wrapped_by, wrapped, key_id)
       WHERE known.secret_id = rewrapped.secret_id AND known.wrapped_by IS NOT DISTINCT FROM rewrapped.wrapped_by`,
      [
        rewrapped.map(({ id }) => id),
        rewrapped.map(({ wrappedBy }) => wrappedBy),
        rewrapped.map(({ wrapped }) => wrapped),
        rewrapped.map(({ keyId }) => keyId),
      ],
    );
    return { rewrapped: rowCount ?? 0, failed, last: rows.at(-1)?.secret_id };
  }
}

function storedSecretOf({ secret_id: id, endpoint_id: endpointId, secret, wrapped, wrapped_by: wrappedBy }: SecretRow) {
  const bytes = wrapped ?? Buffer.from(secret!);
  return { id, bytes, wrappedBy, context: secretContext(id, endpointId) };
}
