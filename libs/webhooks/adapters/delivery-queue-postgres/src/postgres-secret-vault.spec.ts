import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { randomId } from '@florin/kernel';
import { testVaultKeys } from '@florin/kernel/testing';
import type { Pool } from 'pg';
import { PostgresSecretVault } from './postgres-secret-vault.adapter';

describe('PostgresSecretVault', () => {
  let database: TestDatabase;
  let pool: Pool;
  let vault: PostgresSecretVault;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection, { max: 10 });
    vault = new PostgresSecretVault(pool, testVaultKeys);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('creates a different secret of 32 random bytes for each id', async () => {
    const endpointId = randomId();
    const secrets = [await vault.create(endpointId, randomId()), await vault.create(endpointId, randomId())];
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(secrets[0]).not.toBe(secrets[1]);
  });

  it('returns the same secret for the same id, concurrently and later', async () => {
    const [endpointId, secretId] = [randomId(), randomId()];
    const secrets = await Promise.all(Array.from({ length: 20 }, () => vault.create(endpointId, secretId)));
    expect(
      new Set([...secrets, await new PostgresSecretVault(pool, testVaultKeys).create(endpointId, secretId)]).size,
    ).toBe(1);
  });

  it('stores a secret only wrapped, bound to its endpoint', async () => {
    const [endpointId, secretId] = [randomId(), randomId()];
    const secret = await vault.create(endpointId, secretId);
    const row = 'SELECT s::text AS text, secret FROM vault.webhook_secrets s WHERE secret_id = $1';
    const { rows } = await pool.query<{ text: string; secret: null }>(row, [secretId]);
    expect(rows).toEqual([{ secret: null, text: expect.not.stringContaining(secret) as string }]);
    await pool.query('UPDATE vault.webhook_secrets SET endpoint_id = $1 WHERE secret_id = $2', [randomId(), secretId]);
    await expect(vault.read([secretId])).rejects.toThrow('cannot be unwrapped');
  });

  it('deletes the secret of a refused request only', async () => {
    const endpointId = randomId();
    const [kept, refused] = [randomId(), randomId()];
    const secret = await vault.create(endpointId, kept);
    await vault.create(endpointId, refused);
    await vault.discard(randomId(), kept);
    await vault.discard(endpointId, refused);
    expect(await vault.read([kept, refused])).toEqual(new Map([[kept, secret]]));
  });

  it('keeps the 20 newest secrets of an endpoint and those of the last ten minutes', async () => {
    const endpointId = randomId();
    const other = randomId();
    const ids = Array.from({ length: 30 }, () => randomId());
    for (const id of ids) await vault.create(endpointId, id);
    await vault.create(randomId(), other);
    await vault.destroyOld(endpointId);
    expect((await vault.read(ids)).size).toBe(30);
    const text = `
      UPDATE vault.webhook_secrets SET created_at = now() - interval '1 day' + nth * interval '1 second'
      FROM unnest($1::uuid[]) WITH ORDINALITY AS given (id, nth) WHERE secret_id = id`;
    await pool.query(text, [ids]);
    await vault.destroyOld(endpointId);
    expect(new Set((await vault.read([...ids, other])).keys())).toEqual(new Set([...ids.slice(10), other]));
  });

  it('reads existing secrets and deletes those of one endpoint', async () => {
    const [mine, other, nobody] = [randomId(), randomId(), randomId()];
    const endpointId = randomId();
    const secret = await vault.create(endpointId, mine);
    const kept = await vault.create(randomId(), other);
    expect(await vault.read([mine, other, nobody])).toEqual(
      new Map([
        [mine, secret],
        [other, kept],
      ]),
    );
    await vault.destroy(endpointId);
    await vault.destroy(endpointId);
    expect(await vault.read([mine, other])).toEqual(new Map([[other, kept]]));
  });
});
