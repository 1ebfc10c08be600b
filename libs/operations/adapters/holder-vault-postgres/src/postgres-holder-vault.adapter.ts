import { createHmac, randomBytes } from 'node:crypto';
import {
  KeyDestroyed,
  type KeyWrapper,
  openStoredKey,
  type RewrappedKeys,
  rewrapRows,
  sealText,
  sealingKeyBytes,
  unsealText,
  type VaultTable,
} from '@florin/kernel';
import {
  holderKeyContext,
  type HolderVault,
  type HolderDetails,
  type UnconfirmedHolderKeys,
  type UnconfirmedKey,
} from '@florin/operations-domain';
import type { Pool } from 'pg';

interface KeyRow {
  readonly holder_id: string;
  /** Null after it was destroyed. */
  readonly key: Buffer | null;
  readonly wrapped_by: string | null;
}

/** Sorts before every holder. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Stores keys in `vault.holder_keys`, wrapped with the vault key. A key is committed before data sealed with it is returned. Keys are not
 * cached: after `destroy`, no replica can read the holder's data.
 *
 * The plaintext is the JSON of `HolderDetails`, sealed with the kernel's `sealText` and bound to the holder's id.
 */
export class PostgresHolderVault implements HolderVault, UnconfirmedHolderKeys, VaultTable {
  readonly name = 'holder keys';

  constructor(
    private readonly pool: Pool,
    private readonly keys: KeyWrapper,
  ) {}

  async seal(holderId: string, { name, email, metadata }: Partial<HolderDetails>): Promise<string> {
    return sealText(await this.keyOf(holderId), holderId, JSON.stringify({ name, email, metadata }));
  }

  async unseal(holderId: string, sealed: string): Promise<Partial<HolderDetails> | undefined> {
    const key = await this.findKey(holderId);
    if (key === null) return undefined;
    if (key === undefined) {
      throw new Error(`Holder ${holderId} has no key. Restore the schema vault from a backup.`);
    }
    return JSON.parse(unsealText(key, holderId, sealed)) as Partial<HolderDetails>;
  }

  async fingerprint(holderId: string, text: string): Promise<string> {
    return createHmac('sha256', await this.keyOf(holderId))
      .update(text)
      .digest('hex');
  }

  async destroy(holderId: string): Promise<void> {
    await this.pool.query(
      `INSERT INTO vault.holder_keys AS known (holder_id, key, destroyed_at) VALUES ($1, NULL, now())
       ON CONFLICT (holder_id) DO UPDATE
         SET key = NULL, destroyed_at = now(), requests = NULL, requested_at = NULL, account_id = NULL
         WHERE known.key IS NOT NULL`,
      [holderId],
    );
  }

  /** One statement, so that a key cannot be deleted between its lookup and this use of it. Confirmed keys do not change. */
  async prepare(holderId: string, accountId: string): Promise<void> {
    const { wrapped, keyId } = await this.keys.wrap(randomBytes(sealingKeyBytes), holderKeyContext(holderId));
    await this.pool.query(
      `INSERT INTO vault.holder_keys AS known (holder_id, key, wrapped_by, requests, requested_at, account_id)
       VALUES ($1, $2, $3, 1, now(), $4)
       ON CONFLICT (holder_id) DO UPDATE SET requests = known.requests + 1, requested_at = now()
         WHERE known.requests IS NOT NULL`,
      [holderId, wrapped, keyId, accountId],
    );
  }

  async discard(holderId: string): Promise<void> {
    const count = 'UPDATE vault.holder_keys SET requests = requests - 1 WHERE holder_id = $1 AND requests > 0';
    await this.pool.query(count, [holderId]);
    await this.pool.query('DELETE FROM vault.holder_keys WHERE holder_id = $1 AND requests = 0', [holderId]);
  }

  async confirm(holderId: string): Promise<void> {
    await this.pool.query(
      `UPDATE vault.holder_keys SET requests = NULL, requested_at = NULL, account_id = NULL
       WHERE holder_id = $1 AND requests IS NOT NULL`,
      [holderId],
    );
  }

  async unconfirmed(before: Date, limit: number): Promise<readonly UnconfirmedKey[]> {
    const { rows } = await this.pool.query<UnconfirmedKey>(
      `SELECT holder_id AS "holderId", account_id AS "accountId" FROM vault.holder_keys
       WHERE requests IS NOT NULL AND requested_at < $1 ORDER BY requested_at LIMIT $2`,
      [before, limit],
    );
    return rows;
  }

  async deleteUnconfirmed(holderId: string, before: Date): Promise<void> {
    await this.pool.query(
      'DELETE FROM vault.holder_keys WHERE holder_id = $1 AND requests IS NOT NULL AND requested_at < $2',
      [holderId, before],
    );
  }

  async countByVaultKey(): Promise<ReadonlyMap<string | null, number>> {
    const { rows } = await this.pool.query<{ wrapped_by: string | null; count: number }>(
      'SELECT wrapped_by, count(*)::integer AS count FROM vault.holder_keys WHERE key IS NOT NULL GROUP BY wrapped_by',
    );
    return new Map(rows.map(({ wrapped_by, count }) => [wrapped_by, count]));
  }

  async rewrap(after: string | undefined, limit: number): Promise<RewrappedKeys> {
    const { rows } = await this.pool.query<KeyRow & { readonly key: Buffer }>(
      `SELECT holder_id, key, wrapped_by FROM vault.holder_keys
       WHERE holder_id > $1 AND key IS NOT NULL AND wrapped_by IS DISTINCT FROM $2 ORDER BY holder_id LIMIT $3`,
      [after ?? beforeAll, await this.keys.currentKeyId(), limit],
    );
    const stored = rows.map(({ holder_id: id, key: bytes, wrapped_by: wrappedBy }) => {
      return { id, bytes, wrappedBy, context: holderKeyContext(id) };
    });
    const { rewrapped, failed } = await rewrapRows(stored, this.keys);
    const { rowCount } = await this.pool.query(
      `UPDATE vault.holder_keys known SET key = rewrapped.wrapped, wrapped_by = rewrapped.key_id
       FROM unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::text[]) AS rewrapped (holder_id, key, wrapped, key_id)
       WHERE known.holder_id = rewrapped.holder_id AND known.key = rewrapped.key`,
      [
        rewrapped.map(({ id }) => id),
        rewrapped.map(({ bytes }) => bytes),
        rewrapped.map(({ wrapped }) => wrapped),
        rewrapped.map(({ keyId }) => keyId),
      ],
    );
    return { rewrapped: rowCount ?? 0, failed, last: stored.at(-1)?.id };
  }

  private async keyOf(holderId: string): Promise<Buffer> {
    const key = (await this.findKey(holderId)) ?? (await this.makeKey(holderId));
    if (!key) throw new KeyDestroyed(`Holder ${holderId} was erased: register the person as a new holder.`);
    return key;
  }

  /** Null for a destroyed key, undefined for one that never existed. */
  private async findKey(holderId: string): Promise<Buffer | null | undefined> {
    const sql = 'SELECT key, wrapped_by FROM vault.holder_keys WHERE holder_id = $1';
    const { rows } = await this.pool.query<KeyRow>(sql, [holderId]);
    const [row] = rows;
    if (row === undefined || row.key === null) return row?.key;
    const stored = { bytes: row.key, wrappedBy: row.wrapped_by };
    return openStoredKey(stored, holderKeyContext(holderId), this.keys);
  }

  /** Concurrent callers all get the first key. A destroyed key stays destroyed. */
  private async makeKey(holderId: string): Promise<Buffer | null | undefined> {
    const { wrapped, keyId } = await this.keys.wrap(randomBytes(sealingKeyBytes), holderKeyContext(holderId));
    await this.pool.query(
      'INSERT INTO vault.holder_keys (holder_id, key, wrapped_by) VALUES ($1, $2, $3) ON CONFLICT (holder_id) DO NOTHING',
      [holderId, wrapped, keyId],
    );
    return this.findKey(holderId);
  }
}
