import { randomBytes } from 'node:crypto';
import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import {
  DecryptionFailed,
  KeyDestroyed,
  KeyRing,
  openStoredKey,
  randomId,
  UnknownVaultKey,
  unsealText,
} from '@florin/kernel';
import { testVaultKeys } from '@florin/kernel/testing';
import { holderKeyContext } from '@florin/operations-domain';
import type { Pool } from 'pg';
import { PostgresHolderVault } from './postgres-holder-vault.adapter';

describe('PostgresHolderVault', () => {
  const ida = { name: 'Ida Example', email: 'ida@example.com' };
  let database: TestDatabase;
  let pool: Pool;
  let vault: PostgresHolderVault;
  let holderId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection, { max: 10 });
    vault = new PostgresHolderVault(pool, testVaultKeys);
  });
  beforeEach(() => {
    holderId = randomId();
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const rowsOf = async (id: string) =>
    (
      await pool.query<{ key: Buffer | null; destroyed: boolean }>(
        'SELECT key, destroyed_at IS NOT NULL AS destroyed FROM vault.holder_keys WHERE holder_id = $1',
        [id],
      )
    ).rows;

  it('unseals data that this or another replica has sealed', async () => {
    const sealed = await vault.seal(holderId, ida);
    expect(sealed).not.toContain('Ida');
    expect(await new PostgresHolderVault(pool, testVaultKeys).unseal(holderId, sealed)).toEqual(ida);
  });

  it('seals only name and e-mail', async () => {
    const more = { ...ida, externalId: 'customer-1' };
    expect(await vault.unseal(holderId, await vault.seal(holderId, more))).toEqual(ida);
  });

  it('seals the same data to different texts with the same key', async () => {
    const [one, two] = [await vault.seal(holderId, ida), await vault.seal(holderId, ida)];
    expect(one).not.toBe(two);
    expect(await vault.unseal(holderId, one)).toEqual(await vault.unseal(holderId, two));
    expect(await rowsOf(holderId)).toHaveLength(1);
  });

  it('seals in the format that a projection unseals with the key from the table', async () => {
    const sealed = await vault.seal(holderId, ida);
    const { rows } = await pool.query<{ key: Buffer; wrapped_by: string }>(
      'SELECT key, wrapped_by FROM vault.holder_keys WHERE holder_id = $1',
      [holderId],
    );
    const stored = { bytes: rows[0]!.key, wrappedBy: rows[0]!.wrapped_by };
    const key = await openStoredKey(stored, holderKeyContext(holderId), testVaultKeys);
    expect(JSON.parse(unsealText(key, holderId, sealed))).toEqual(ida);
  });

  it('creates one key for concurrent callers', async () => {
    const sealed = await Promise.all(Array.from({ length: 20 }, () => vault.seal(holderId, ida)));
    const opened = await Promise.all(sealed.map((text) => vault.unseal(holderId, text)));
    expect(opened).toEqual(sealed.map(() => ida));
  });

  it('does not unseal a text for another holder', async () => {
    const sealed = await vault.seal(holderId, ida);
    const another = randomId();
    await vault.seal(another, ida);
    await expect(vault.unseal(another, sealed)).rejects.toThrow(DecryptionFailed);
  });

  it('does not unseal a text for another holder with the same key, because the text is bound to its holder', async () => {
    const [key, twin] = [randomBytes(32), randomId()];
    const store = 'INSERT INTO vault.holder_keys (holder_id, key) VALUES ($1, $3), ($2, $3)';
    await pool.query(store, [holderId, twin, key]);
    const sealed = await vault.seal(holderId, ida);
    expect(await vault.unseal(holderId, sealed)).toEqual(ida);
    await expect(vault.unseal(twin, sealed)).rejects.toThrow(DecryptionFailed);
  });

  it('refuses a wrapped key that was moved to another holder', async () => {
    const sealed = await vault.seal(holderId, ida);
    const twin = randomId();
    await pool.query(
      `INSERT INTO vault.holder_keys (holder_id, key, wrapped_by)
       SELECT $1, key, wrapped_by FROM vault.holder_keys WHERE holder_id = $2`,
      [twin, holderId],
    );
    await expect(vault.unseal(twin, sealed)).rejects.toThrow('cannot be unwrapped');
    await expect(vault.seal(twin, ida)).rejects.toThrow(DecryptionFailed);
  });

  it('stores nothing that unseals the data without the vault key', async () => {
    const sealed = await vault.seal(holderId, ida);
    const key = (await rowsOf(holderId))[0]!.key!;
    for (let from = 0; from + 32 <= key.length; from++) {
      expect(() => unsealText(key.subarray(from, from + 32), holderId, sealed)).toThrow(DecryptionFailed);
    }
    const strangers = new PostgresHolderVault(pool, new KeyRing([randomBytes(32)]));
    await expect(strangers.unseal(holderId, sealed)).rejects.toThrow(UnknownVaultKey);
    await expect(strangers.seal(holderId, ida)).rejects.toThrow(UnknownVaultKey);
    expect(await vault.unseal(holderId, sealed)).toEqual(ida);
  });

  it('reads a key of an earlier release, which is not wrapped', async () => {
    await pool.query('INSERT INTO vault.holder_keys (holder_id, key) VALUES ($1, $2)', [holderId, randomBytes(32)]);
    const sealed = await vault.seal(holderId, ida);
    await vault.rewrap(undefined, 10_000);
    expect(await vault.unseal(holderId, sealed)).toEqual(ida);
    const wrapped = 'SELECT 1 FROM vault.holder_keys WHERE holder_id = $1 AND wrapped_by IS NOT NULL';
    expect((await pool.query(wrapped, [holderId])).rowCount).toBe(1);
  });

  it('gives the same fingerprint for the same text, and different ones per text and holder', async () => {
    const fingerprints = [
      await vault.fingerprint(holderId, 'text'),
      await vault.fingerprint(holderId, 'text'),
      await vault.fingerprint(holderId, 'another text'),
      await vault.fingerprint(randomId(), 'text'),
    ];
    expect(fingerprints[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(fingerprints[1]).toBe(fingerprints[0]);
    expect(new Set(fingerprints).size).toBe(3);
  });

  it('unseals nothing and creates no new key after the key is destroyed', async () => {
    const sealed = await vault.seal(holderId, ida);
    await vault.destroy(holderId);
    expect(await vault.unseal(holderId, sealed)).toBeUndefined();
    await expect(vault.seal(holderId, ida)).rejects.toThrow(KeyDestroyed);
    await expect(vault.fingerprint(holderId, 'text')).rejects.toThrow(KeyDestroyed);
    expect(await rowsOf(holderId)).toEqual([{ key: null, destroyed: true }]);
  });

  it('keeps the data of other holders readable', async () => {
    const [mine, sealed] = [randomId(), await vault.seal(holderId, ida)];
    await vault.seal(mine, ida);
    await vault.destroy(mine);
    expect(await vault.unseal(holderId, sealed)).toEqual(ida);
  });

  it('destroys a key twice, and one that does not exist', async () => {
    await vault.seal(holderId, ida);
    const firstTime = async () =>
      (await pool.query('SELECT destroyed_at FROM vault.holder_keys WHERE holder_id = $1', [holderId])).rows;
    await vault.destroy(holderId);
    const before = await firstTime();
    await vault.destroy(holderId);
    expect(await firstTime()).toEqual(before);

    const stranger = randomId();
    await vault.destroy(stranger);
    await expect(vault.seal(stranger, ida)).rejects.toThrow(KeyDestroyed);
  });

  it('creates no key while the key is being destroyed', async () => {
    const attempts = Array.from({ length: 20 }, (_, n) =>
      n === 10 ? vault.destroy(holderId) : vault.seal(holderId, ida).catch((error: unknown) => error),
    );
    const results = (await Promise.all(attempts)).filter((result) => result !== undefined);
    const ends = results.map((result) => typeof result === 'string' || result instanceof KeyDestroyed);
    expect(ends).toEqual(results.map(() => true));
    expect(await rowsOf(holderId)).toEqual([{ key: null, destroyed: true }]);
  });

  it('deletes the key of a refused registration', async () => {
    await vault.prepare(holderId, 'account');
    await vault.seal(holderId, ida);
    await vault.fingerprint(holderId, 'text');
    await vault.discard(holderId);
    expect(await rowsOf(holderId)).toEqual([]);
    await vault.discard(holderId);
    expect(await vault.unseal(holderId, await vault.seal(holderId, ida))).toEqual(ida);
  });

  it('keeps the key of a refused registration while another one uses it', async () => {
    await vault.prepare(holderId, 'account');
    const sealed = await vault.seal(holderId, ida);
    await vault.prepare(holderId, 'account');
    await vault.discard(holderId);
    expect(await vault.unseal(holderId, sealed)).toEqual(ida);
    await vault.confirm(holderId);
    for (let times = 0; times < 3; times++) await vault.discard(holderId);
    expect(await vault.unseal(holderId, sealed)).toEqual(ida);
  });

  it('never deletes a key that a registration in progress has sealed with', async () => {
    const register = async (isRefused: boolean): Promise<string> => {
      await vault.prepare(holderId, 'account');
      const sealed = await vault.seal(holderId, ida);
      if (isRefused) await vault.discard(holderId);
      return sealed;
    };
    const [sealed] = await Promise.all(Array.from({ length: 10 }, (_, number) => register(number > 0)));
    expect(await vault.unseal(holderId, sealed!)).toEqual(ida);
    await vault.discard(holderId);
    expect(await rowsOf(holderId)).toEqual([]);
  });

  it('lists unconfirmed keys that no registration has used for a time, and deletes only those', async () => {
    const [confirmed, erased, recent] = [randomId(), randomId(), randomId()];
    for (const id of [holderId, confirmed, erased, recent]) await vault.prepare(id, `account of ${id}`);
    await vault.confirm(confirmed);
    await vault.destroy(erased);
    await pool.query(
      `UPDATE vault.holder_keys SET requested_at = now() - interval '2 h' WHERE requests > 0 AND holder_id <> $1`,
      [recent],
    );
    const before = new Date(Date.now() - 3_600_000);
    const unconfirmed = await vault.unconfirmed(before, 1_000);
    expect(unconfirmed).toContainEqual({ holderId, accountId: `account of ${holderId}` });
    const listed = unconfirmed.map((key) => key.holderId);
    for (const id of [confirmed, erased, recent]) expect(listed).not.toContain(id);
    for (const id of [holderId, confirmed, erased, recent]) await vault.deleteUnconfirmed(id, before);
    const kept = await Promise.all([holderId, confirmed, erased, recent].map(async (id) => (await rowsOf(id)).length));
    expect(kept).toEqual([0, 1, 1, 1]);
  });

  it('prevents a confirmed key from becoming unconfirmed', async () => {
    await vault.prepare(holderId, 'account');
    await vault.confirm(holderId);
    await vault.prepare(holderId, 'account');
    const sql = `UPDATE vault.holder_keys SET requests = 1, requested_at = now(), account_id = 'a' WHERE holder_id = $1`;
    await expect(pool.query(sql, [holderId])).rejects.toThrow('never replaced or deleted');
    const remove = 'DELETE FROM vault.holder_keys WHERE holder_id = $1';
    await expect(pool.query(remove, [holderId])).rejects.toThrow('never replaced or deleted');
  });

  it('throws if a key is missing that was not destroyed', async () => {
    const sealed = await vault.seal(randomId(), ida);
    await expect(vault.unseal(holderId, sealed)).rejects.toThrow('Restore the schema vault');
  });

  it.each([
    [
      'replaced by an unwrapped one',
      `UPDATE vault.holder_keys SET key = sha256('x'), wrapped_by = NULL WHERE holder_id = $1`,
    ],
    ['replaced', `UPDATE vault.holder_keys SET key = sha256('x') WHERE holder_id = $1`],
    ['revived', `UPDATE vault.holder_keys SET key = sha256('x'), destroyed_at = NULL WHERE holder_id = $1`],
    [
      'revived with another vault key',
      `UPDATE vault.holder_keys SET key = sha256('x'), destroyed_at = NULL, wrapped_by = 'x' WHERE holder_id = $1`,
    ],
    ['given to another', `UPDATE vault.holder_keys SET holder_id = gen_random_uuid() WHERE holder_id = $1`],
    ['deleted', 'DELETE FROM vault.holder_keys WHERE holder_id = $1'],
  ])('prevents a key from being %s', async (change, sql) => {
    await vault.seal(holderId, ida);
    if (change.startsWith('revived')) await vault.destroy(holderId);
    await expect(pool.query(sql, [holderId])).rejects.toThrow('never replaced or deleted');
    await expect(pool.query('TRUNCATE vault.holder_keys')).rejects.toThrow('never replaced or deleted');
  });
});
