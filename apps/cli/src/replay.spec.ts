import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { metadataOf } from '@florin/event-sourcing';
import { KeyRing } from '@florin/kernel';
import { readModels } from '@florin/read-models/tools';
import { replayableReadModels } from './commands/replay';
import { runCli } from './run-cli';
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

  it('rebuilds all read models when none is named, once the old tables are dropped', async () => {
    expect(await run()).toMatchObject({
      exitCode: 3,
      err: expect.stringMatching(
        /still exist: read_models_old\.account_entries\. Drop them first: florin replay --drop-old/,
      ) as string,
    });
    expect(await run('--drop-old')).toMatchObject({ exitCode: 0, out: 'Dropped read_models_old.account_entries.\n' });
    expect(await run('--drop-old')).toMatchObject({ exitCode: 0, out: 'Nothing to drop.\n' });
    const { exitCode, out } = await run();
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^READ MODEL +EVENTS +SECONDS\n/);
    expect(out).toMatch(/\noperations +12 +\d/);
    expect(out).toMatch(
      /The replaced tables are in the schema read_models_old\. Drop them with: florin replay --drop-old/,
    );
    expect(out).not.toContain('webhooks');
    expect(await runCommand(['audit'], ledger.environment)).toMatchObject({ exitCode: 0 });
    await run('--drop-old');
  });

  it.each(['process operations', '--projection=process operations'])(
    'rejects read models that it cannot rebuild before it changes anything: %s',
    async (unknown) => {
      expect(await run('account-entries', 'webhooks')).toMatchObject({
        exitCode: 2,
        err: expect.stringMatching(/webhooks cannot be rebuilt: the log has no record of deliveries/) as string,
      });
      expect(await run(unknown)).toMatchObject({
        exitCode: 2,
        err: expect.stringMatching(/Unknown read model process operations\. Choose from companies, /) as string,
      });
    },
  );

  it('rebuilds read models while a projector runs', async () => {
    const before = await entries();
    const projector = new PostgresCheckpointStore({ connectionString: ledger.environment.DATABASE_URL });
    const membership = await projector.join('account-entries', 1);
    const [claim] = await membership.balance(async () => undefined);
    await ledger.pool.query(`UPDATE read_models.account_entries SET kind = 'forged'`);
    expect(await run('--projection', 'account-entries')).toMatchObject({ exitCode: 0 });
    expect(await entries()).toEqual(before);
    await membership.advance(claim!, await ledger.store.head(), async () => undefined);
    await projector.close();
    await run('--drop-old');
  });

  it('continues after an interruption', async () => {
    const before = await entries();
    let [out, err] = ['', ''];
    const terminal = {
      environment: ledger.environment,
      print: (text: string) => (out += text),
      printError: (text: string) => (err += text),
      interrupted: () => AbortSignal.abort(),
    };
    expect(await runCli(['replay', 'account-entries'], terminal)).toBe(3);
    expect(out).toBe('');
    expect(err).toBe('Error: Interrupted. The live read models were not changed. The same command continues.');
    expect(await entries()).toEqual(before);
    expect(await run('account-entries')).toMatchObject({ exitCode: 0 });
    await run('--drop-old');
  });

  describe('--to', () => {
    const count = async (schema: string) =>
      (await ledger.pool.query<{ count: number }>(`SELECT count(*)::int FROM ${schema}.account_entries`)).rows[0]!
        .count;

    it('builds read models as of a position, and says how to drop them', async () => {
      const before = await entries();
      const { exitCode, out } = await run('account-entries', '--to', '2');
      expect(exitCode).toBe(0);
      expect(out).toContain(
        'The read models as of position 2 are in the schema read_models_at_2. The live ones were not changed.',
      );
      expect(await count('read_models_at_2')).toBeLessThan(before.length);
      expect(await entries()).toEqual(before);
      expect(out).toContain('florin replay --drop-old --to 2');
      expect(await run('--drop-old', '--to', '2')).toMatchObject({
        exitCode: 0,
        out: 'Dropped read_models_at_2.account_entries.\n',
      });
    });

    it('accepts a day, which includes all of it, and a time', async () => {
      const { events } = await ledger.store.readAll({ after: 0n });
      const head = String(events.at(-1)!.position);
      const time = metadataOf(events.at(-1)!).recordedAt;
      const positionAt = async (to: string) =>
        (JSON.parse((await run('account-entries', '--json', '--to', to)).out) as { position: string }).position;
      expect(await positionAt(time.slice(0, 10))).toBe(head);
      expect(await positionAt(time)).toBe(head);
      const earlier = new Date(Date.parse(time) - 1).toISOString();
      expect(await positionAt(earlier)).toBe(String(BigInt(head) - 1n));
    });

    it.each(['0', '-1', 'yesterday', '2026-02-30T00:00', '99999999999999999999', '2026-13-01'])(
      'rejects %s',
      async (to) => {
        expect(await run(`--to=${to}`)).toMatchObject({
          exitCode: 2,
          err: expect.stringContaining(`--to ${to} is neither a position of the log nor a time`) as string,
        });
      },
    );

    it('rejects what is before or after the log', async () => {
      expect(await run('--to', '1999-01-01')).toMatchObject({ exitCode: 2 });
      const { exitCode, err } = await run('--to', '1000000');
      expect(exitCode).toBe(2);
      expect(err).toMatch(/The log ends at position \d+\./);
    });
  });
});
