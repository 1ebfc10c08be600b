import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { KeyRing } from '@florin/kernel';
import { readModels } from '@florin/read-models';
import { replayableReadModels } from './commands/replay';
import { runCommand } from './testing/run-command';
import { type StoredLedger, storedLedger } from './testing/stored-ledger';

jest.setTimeout(30_000);

let ledger: StoredLedger;

beforeAll(async () => {
  ledger = await storedLedger();
});
afterAll(() => ledger.close());

const run = (...args: readonly string[]) => runCommand(['replay', ...args], ledger.environment);
const entries = async () =>
  (await ledger.pool.query('SELECT * FROM read_models.account_entries ORDER BY sequence')).rows as readonly unknown[];

describe('florin replay', () => {
  it('lists every read model in its help', () => {
    expect(replayableReadModels).toEqual(readModels(new KeyRing([])).map(({ projection }) => projection.name));
  });

  it('rebuilds the named read models', async () => {
    const before = await entries();
    await ledger.pool.query(`UPDATE read_models.account_entries SET kind = 'forged'`);
    await ledger.pool.query('DELETE FROM read_models.operations');
    const { exitCode, out } = await run('account-entries', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toEqual({
      readModels: [{ name: 'account-entries', events: 6, seconds: expect.any(Number) as number }],
    });
    expect(await entries()).toEqual(before);
    expect((await runCommand(['audit'], ledger.environment)).out).toMatch(/lacks \S+ \(completed\)/);
  });

  it('rebuilds all read models when none is named', async () => {
    const { exitCode, out } = await run();
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^READ MODEL +EVENTS +SECONDS\n/);
    expect(out).toMatch(/\noperations +12 +\d/);
    expect(out).not.toContain('webhooks');
    expect(await runCommand(['audit'], ledger.environment)).toMatchObject({ exitCode: 0 });
  });

  it('rejects read models that it cannot rebuild before it changes anything', async () => {
    expect(await run('account-entries', 'webhooks')).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/webhooks cannot be rebuilt: the log has no record of deliveries/) as string,
    });
    expect(await run('process operations')).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/Unknown read model process operations\. Choose from companies, /) as string,
    });
  });

  it('fails while a projector is running and names what to stop', async () => {
    const before = await entries();
    const projector = new PostgresCheckpointStore({ connectionString: ledger.environment.DATABASE_URL });
    await projector.join('account-entries', 1);
    const { exitCode, err } = await run();
    expect(exitCode).toBe(1);
    expect(err).toMatch(/A running projector writes to account-entries\. Nothing was changed\. Stop the projector/);
    expect(await entries()).toEqual(before);
    await projector.close();
    expect(await run('account-entries')).toMatchObject({ exitCode: 0 });
  });
});
