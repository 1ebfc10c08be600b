import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { KeyRing, randomId } from '@florin/kernel';
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { readConfig } from '../config';
import { rotateVault } from './rotate-vault';
import { checkVault, openVault, type Vault, vaultOn } from './vault';

jest.setTimeout(30_000);

const ida = { name: 'Ida Example', email: 'ida@example.com' };

interface Sample {
  readonly holderId: string;
  readonly sealed: string;
  readonly secretId: string;
  readonly secret: string;
}

describe('The rotation of the vault key', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  let database: TestDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection, { max: 5 });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const vaultWith = (...keys: readonly Buffer[]): Vault => vaultOn(pool, new KeyRing(keys));
  const rotate = (vault: Vault, options = {}) =>
    rotateVault([vault.holderKeys, vault.webhookSecrets], vault.keys, options);

  async function add({ holderKeys, webhookSecrets }: Vault): Promise<Sample> {
    const [holderId, secretId] = [randomId(), randomId()];
    const sealed = await holderKeys.seal(holderId, ida);
    return { holderId, sealed, secretId, secret: await webhookSecrets.create(randomId(), secretId) };
  }

  const addMany = (vault: Vault, count: number): Promise<Sample[]> =>
    Promise.all(Array.from({ length: count }, () => add(vault)));

  async function expectReadable(vault: Vault, { holderId, sealed, secretId, secret }: Sample): Promise<void> {
    expect(await vault.holderKeys.unseal(holderId, sealed)).toEqual(ida);
    expect(await vault.webhookSecrets.read([secretId])).toEqual(new Map([[secretId, secret]]));
  }

  /** As an earlier release stored them. */
  async function addUnwrapped(count: number): Promise<void> {
    for (let number = 0; number < count; number++) {
      await pool.query('INSERT INTO vault.holder_keys (holder_id, key) VALUES ($1, $2)', [randomId(), randomBytes(32)]);
      const secret = `INSERT INTO vault.webhook_secrets (secret_id, endpoint_id, secret) VALUES ($1, $2, 'whsec_plain')`;
      await pool.query(secret, [randomId(), randomId()]);
    }
  }

  it('wraps all keys with the new vault key, which alone reads them then', async () => {
    const samples = await addMany(vaultWith(older), 25);
    const reports: string[] = [];
    const report = (name: string, rewrapped: number): number => reports.push(`${name} ${rewrapped}`);
    expect(await rotate(vaultWith(newer, older), { batchSize: 10, report })).toEqual([
      { name: 'holder keys', rewrapped: 25, remaining: 0, failed: [] },
      { name: 'webhook secrets', rewrapped: 25, remaining: 0, failed: [] },
    ]);
    expect(reports).toEqual(
      [10, 20, 25]
        .flatMap((count) => [`holder keys ${count}`])
        .concat([10, 20, 25].map((count) => `webhook secrets ${count}`)),
    );
    for (const sample of samples) await expectReadable(vaultWith(newer), sample);
    expect(await rotate(vaultWith(newer))).toMatchObject([{ rewrapped: 0 }, { rewrapped: 0 }]);
  });

  it('wraps keys of an earlier release, after which the database contains no key', async () => {
    await addUnwrapped(3);
    expect(await rotate(vaultWith(newer))).toMatchObject([
      { rewrapped: 3, remaining: 0 },
      { rewrapped: 3, remaining: 0 },
    ]);
    const { rows } = await pool.query<{ text: string }>(`
      SELECT k::text AS text FROM vault.holder_keys k UNION ALL SELECT s::text FROM vault.webhook_secrets s`);
    expect(rows).toHaveLength(6);
    expect(rows.filter(({ text }) => text.includes('whsec'))).toEqual([]);
    const lengths = await pool.query('SELECT DISTINCT octet_length(key) AS bytes FROM vault.holder_keys');
    expect(lengths.rows).toEqual([{ bytes: 61 }]);
  });

  it('loses nothing while services read, write and erase', async () => {
    const before = vaultWith(older, newer);
    const samples = await addMany(before, 40);
    const erased = samples.slice(0, 5);
    let running = true;
    const services = [before, vaultWith(newer, older)].map(async (vault) => {
      const added: Sample[] = [];
      while (running) {
        added.push(await add(vault));
        for (const sample of samples.slice(20, 24)) await expectReadable(vault, sample);
      }
      return added;
    });
    const rotation = rotate(vaultWith(newer, older), { batchSize: 3 });
    for (const { holderId } of erased) await before.holderKeys.destroy(holderId);
    await rotation;
    running = false;
    const added = (await Promise.all(services)).flat();
    expect(added.length).toBeGreaterThan(0);
    // The service that still wraps with the older key may have added some.
    expect(await rotate(vaultWith(newer, older))).toMatchObject([{ remaining: 0 }, { remaining: 0 }]);
    const after = vaultWith(newer);
    for (const sample of [...samples.slice(5), ...added]) await expectReadable(after, sample);
    for (const { holderId, sealed } of erased) {
      expect(await after.holderKeys.unseal(holderId, sealed)).toBeUndefined();
    }
  });

  it('continues after a crash', async () => {
    const samples = await addMany(vaultWith(older), 20);
    const crash = (): never => {
      throw new Error('crash');
    };
    await expect(rotate(vaultWith(newer, older), { batchSize: 7, report: crash })).rejects.toThrow('crash');
    for (const sample of samples) await expectReadable(vaultWith(older, newer), sample);
    expect(await rotate(vaultWith(newer, older))).toMatchObject([
      { rewrapped: 13, remaining: 0 },
      { rewrapped: 20, remaining: 0 },
    ]);
    for (const sample of samples) await expectReadable(vaultWith(newer), sample);
  });

  it('reports keys that cannot be opened, and leaves them as they are', async () => {
    const vault = vaultWith(older);
    const [moved, target] = [await add(vault), await add(vault)];
    await pool.query(
      `UPDATE vault.webhook_secrets t SET wrapped = m.wrapped FROM vault.webhook_secrets m
       WHERE t.secret_id = $1 AND m.secret_id = $2`,
      [target.secretId, moved.secretId],
    );
    await expect(vault.webhookSecrets.read([target.secretId])).rejects.toThrow('cannot be unwrapped');
    const [, secrets] = await rotate(vaultWith(newer, older));
    expect(secrets).toMatchObject({ rewrapped: 1, remaining: 1, failed: [{ id: target.secretId }] });
    await expectReadable(vaultWith(newer), { ...moved });
    expect(await vault.webhookSecrets.countByVaultKey()).toEqual(
      new Map([
        [await vault.keys.currentKeyId(), 1],
        [await vaultWith(newer).keys.currentKeyId(), 1],
      ]),
    );
  });

  it('changes nothing without the old vault key', async () => {
    const sample = await add(vaultWith(older));
    expect(await rotate(vaultWith(newer))).toMatchObject([
      { rewrapped: 0, remaining: 1, failed: [{ reason: expect.stringContaining('is not configured') as string }] },
      { rewrapped: 0, remaining: 1 },
    ]);
    await expectReadable(vaultWith(older), sample);
  });

  describe('A start', () => {
    const log = { warn: jest.fn() };
    beforeEach(() => log.warn.mockClear());

    it('is refused with a wrong vault key, only for tables that the service uses', async () => {
      const { holderKeys, webhookSecrets, keys } = vaultWith(newer);
      await vaultWith(older).holderKeys.seal(randomId(), ida);
      await expect(checkVault([holderKeys, webhookSecrets], keys, log)).rejects.toThrow(
        /The vault has 1 holder keys that are wrapped with the vault key [0-9a-f]{16}, which is not configured\. Add it/,
      );
      await checkVault([webhookSecrets], keys, log);
      expect(log.warn).not.toHaveBeenCalled();
    });

    it('warns about keys that are not wrapped', async () => {
      await addUnwrapped(2);
      const config = readConfig({ DATABASE_URL: 'postgres://x/y', VAULT_KEY: newer.toString('base64') });
      await openVault(config, pool, ['webhookSecrets'], log);
      expect(log.warn.mock.calls).toEqual([
        [{ table: 'webhook secrets', count: 2 }, expect.stringContaining('Run `florin vault rotate`')],
      ]);
    });
  });
});
