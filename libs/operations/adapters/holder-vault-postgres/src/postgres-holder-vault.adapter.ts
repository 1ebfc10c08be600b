import { createHmac, randomBytes } from 'node:crypto';
import { KeyDestroyed, sealText, sealingKeyBytes, unsealText } from '@florin/kernel';
import type { HolderVault, PersonalData } from '@florin/operations-domain';
import type { Pool } from 'pg';

/** Null for a destroyed key, undefined for one that never existed. */
type StoredKey = Buffer | null | undefined;

/**
 * Stores keys in `vault.holder_keys`. A key is committed before data sealed with it is returned. Keys are not cached: after
 * `destroy`, no replica can read the holder's data.
 *
 * The plaintext is the JSON of `PersonalData`, sealed with the kernel's `sealText` and bound to the holder's id.
 */
export class PostgresHolderVault implements HolderVault {
  constructor(private readonly pool: Pool) {}

  async seal(holderId: string, { name, email }: PersonalData): Promise<string> {
    return sealText(await this.keyOf(holderId), holderId, JSON.stringify({ name, email }));
  }

  async unseal(holderId: string, sealed: string): Promise<PersonalData | undefined> {
    const key = await this.findKey(holderId);
    if (key === null) return undefined;
    if (key === undefined) {
      throw new Error(`Holder ${holderId} has no key. Restore the schema vault from a backup.`);
    }
    return JSON.parse(unsealText(key, holderId, sealed)) as PersonalData;
  }

  async fingerprint(holderId: string, text: string): Promise<string> {
    return createHmac('sha256', await this.keyOf(holderId))
      .update(text)
      .digest('hex');
  }

  async destroy(holderId: string): Promise<void> {
    await this.pool.query(
      `INSERT INTO vault.holder_keys AS known (holder_id, key, destroyed_at) VALUES ($1, NULL, now())
       ON CONFLICT (holder_id) DO UPDATE SET key = NULL, destroyed_at = now() WHERE known.key IS NOT NULL`,
      [holderId],
    );
  }

  private async keyOf(holderId: string): Promise<Buffer> {
    const key = (await this.findKey(holderId)) ?? (await this.makeKey(holderId));
    if (!key) throw new KeyDestroyed(`Holder ${holderId} was erased: register the person as a new holder.`);
    return key;
  }

  private async findKey(holderId: string): Promise<StoredKey> {
    const sql = 'SELECT key FROM vault.holder_keys WHERE holder_id = $1';
    const { rows } = await this.pool.query<{ key: Buffer | null }>(sql, [holderId]);
    return rows[0]?.key;
  }

  /** Concurrent callers all get the first key. A destroyed key stays destroyed. */
  private async makeKey(holderId: string): Promise<StoredKey> {
    await this.pool.query(
      'INSERT INTO vault.holder_keys (holder_id, key) VALUES ($1, $2) ON CONFLICT (holder_id) DO NOTHING',
      [holderId, randomBytes(sealingKeyBytes)],
    );
    return this.findKey(holderId);
  }
}
