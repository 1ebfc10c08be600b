import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { KeyDestroyed, randomId, SealBroken, unsealText } from '@florin/kernel';
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
    vault = new PostgresHolderVault(pool);
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
    expect(await new PostgresHolderVault(pool).unseal(holderId, sealed)).toEqual(ida);
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
    const [row] = await rowsOf(holderId);
    expect(JSON.parse(unsealText(row!.key!, holderId, sealed))).toEqual(ida);
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
    await expect(vault.unseal(another, sealed)).rejects.toThrow(SealBroken);
    // Not even with the same key, because the text is bound to its holder's id.
    const twin = randomId();
    await pool.query(
      'INSERT INTO vault.holder_keys (holder_id, key) SELECT $1, key FROM vault.holder_keys WHERE holder_id = $2',
      [twin, holderId],
    );
    await expect(vault.unseal(twin, sealed)).rejects.toThrow(SealBroken);
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

  it('throws if a key is missing that was not destroyed', async () => {
    const sealed = await vault.seal(randomId(), ida);
    await expect(vault.unseal(holderId, sealed)).rejects.toThrow('Restore the schema vault');
  });

  it.each([
    ['replaced', `UPDATE vault.holder_keys SET key = sha256('x') WHERE holder_id = $1`],
    ['revived', `UPDATE vault.holder_keys SET key = sha256('x'), destroyed_at = NULL WHERE holder_id = $1`],
    ['given to another', `UPDATE vault.holder_keys SET holder_id = gen_random_uuid() WHERE holder_id = $1`],
    ['deleted', 'DELETE FROM vault.holder_keys WHERE holder_id = $1'],
  ])('prevents a key from being %s', async (change, sql) => {
    await vault.seal(holderId, ida);
    if (change === 'revived') await vault.destroy(holderId);
    await expect(pool.query(sql, [holderId])).rejects.toThrow('never replaced or deleted');
    await expect(pool.query('TRUNCATE vault.holder_keys')).rejects.toThrow('never replaced or deleted');
  });
});
