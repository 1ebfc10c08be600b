import { randomBytes } from 'node:crypto';
import type { SecretVault } from '@florin/webhooks-domain';
import type { Pool } from 'pg';

/** Secrets in `vault.webhook_secrets`. Concurrent calls for the same id all return the secret stored first. */
export class PostgresSecretVault implements SecretVault {
  constructor(private readonly pool: Pool) {}

  async create(endpointId: string, secretId: string): Promise<string> {
    await this.pool.query(
      `INSERT INTO vault.webhook_secrets (secret_id, endpoint_id, secret) VALUES ($1, $2, $3)
       ON CONFLICT (secret_id) DO NOTHING`,
      [secretId, endpointId, `whsec_${randomBytes(32).toString('base64url')}`],
    );
    const secret = (await this.read([secretId])).get(secretId);
    if (secret === undefined) throw new Error(`Secret ${secretId} was deleted while it was created. Create a new one.`);
    return secret;
  }

  async read(secretIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.pool.query<{ secret_id: string; secret: string }>(
      'SELECT secret_id, secret FROM vault.webhook_secrets WHERE secret_id = ANY ($1)',
      [secretIds],
    );
    return new Map(rows.map(({ secret_id, secret }) => [secret_id, secret]));
  }

  async destroy(endpointId: string): Promise<void> {
    await this.pool.query('DELETE FROM vault.webhook_secrets WHERE endpoint_id = $1', [endpointId]);
  }
}
