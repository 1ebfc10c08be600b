import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { KeyRing, randomId, vaultKeyId } from '@florin/kernel';
import { vaultOn } from '@florin/runtime/tools';
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { runCommand } from './testing/run-command';

jest.setTimeout(30_000);

describe('florin vault rotate', () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)];
  const textOf = (...keys: readonly Buffer[]): string => keys.map((key) => key.toString('base64')).join(',');
  let database: TestDatabase;
  let pool: Pool;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { host, user, database: name } = database.connection;
    url = `postgres://${user}@localhost/${name}?host=${encodeURIComponent(String(host))}`;
    pool = createPool(database.connection, { max: 2 });
    const { holderKeys, webhookSecrets } = vaultOn(pool, new KeyRing([older]));
    await holderKeys.seal(randomId(), { name: 'Ida', email: 'ida@example.com' });
    await webhookSecrets.create(randomId(), randomId());
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const rotate = (VAULT_KEY: string, ...args: readonly string[]) =>
    runCommand(['vault', 'rotate', ...args], { DATABASE_URL: url, VAULT_KEY });

  it('needs a vault key', async () => {
    expect(await rotate('')).toMatchObject({ exitCode: 1, err: expect.stringMatching(/no vault key\. Set VAULT_KEY/) });
    expect(await rotate('hunter2')).toMatchObject({ exitCode: 1, err: expect.not.stringMatching(/hunter2/) });
  });

  it('names the vault key that is missing and changes nothing', async () => {
    const { exitCode, err } = await rotate(textOf(newer));
    expect(exitCode).toBe(1);
    expect(err).toContain(
      `1 holder keys that are wrapped with the vault key ${vaultKeyId(older)}, which is not configured`,
    );
    expect(await vaultOn(pool, new KeyRing([older])).holderKeys.countByVaultKey()).toEqual(
      new Map([[vaultKeyId(older), 1]]),
    );
  });

  it('wraps everything with the first key, and reports progress and what is left', async () => {
    expect(await rotate(textOf(newer, older))).toEqual({
      exitCode: 0,
      out: expect.stringMatching(
        new RegExp(`holder keys +1 +0\\s+webhook secrets +1 +0\\s+The current vault key is ${vaultKeyId(newer)}\\.`),
      ) as string,
      err: 'holder keys: 1 wrapped again\nwebhook secrets: 1 wrapped again\n',
    });
    const { exitCode, out } = await rotate(textOf(newer), '--json');
    expect(exitCode).toBe(0);
    const nothing = { rewrapped: 0, remaining: 0, failed: [] };
    expect(JSON.parse(out)).toEqual({
      vaultKey: vaultKeyId(newer),
      tables: [
        { name: 'holder keys', ...nothing },
        { name: 'webhook secrets', ...nothing },
      ],
    });
  });

  it('fails if a key cannot be opened, and names it', async () => {
    const { rows } = await pool.query<{ secret_id: string }>(
      'UPDATE vault.webhook_secrets SET endpoint_id = gen_random_uuid() RETURNING secret_id',
    );
    const { exitCode, err } = await rotate(textOf(older, newer));
    expect(exitCode).toBe(1);
    expect(err).toContain(`webhook secrets ${rows[0]!.secret_id}: The key of webhook secret`);
    expect(err).toContain(
      '1 keys are not wrapped with the current vault key. Restore those listed above from a backup.',
    );
  });
});
