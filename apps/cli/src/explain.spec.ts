import type { ExplainedDay, ExplainedStep } from '@florin/audit';
import { runCommand } from './testing/run-command';
import { accountId, idOf, type StoredLedger, storedLedger } from './testing/stored-ledger';

jest.setTimeout(30_000);

let ledger: StoredLedger;

beforeEach(async () => {
  ledger = await storedLedger();
});
afterEach(() => ledger.close());

const explain = (...args: readonly string[]) => runCommand(['explain', ...args], ledger.environment);

interface Explained {
  readonly days?: readonly ExplainedDay[];
  readonly steps?: readonly ExplainedStep[];
}

async function explainJson(...args: readonly string[]): Promise<Explained> {
  const { exitCode, out, err } = await explain(...args, '--json');
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  return JSON.parse(out) as Explained;
}

describe('florin explain', () => {
  it('shows a balance by day, and with --all by event', async () => {
    const { days } = await explainJson('balance', accountId);
    expect(days).toHaveLength(1);
    expect(days![0]).toMatchObject({ available: '785.00', held: '100.00', revision: 5 });
    const { steps } = await explainJson('balance', accountId, '--all');
    expect(steps!.map(({ type }) => type)).toEqual([
      ...['FundsDeposited', 'FundsReserved', 'FundsReserved', 'FundsReserved'],
      ...['ReservationCaptured', 'ReservationReleased'],
    ]);
    const { exitCode, out } = await explain('balance', accountId);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/DAY +AVAILABLE +HELD +WHAT HAPPENED\n/);
    expect(out).toMatch(/ +785\.00 +100\.00 +1 capture \(-100\.00 held\), 1 deposit \(1000\.00 available\)/);
  });

  it('shows a balance as of a position', async () => {
    const { steps } = await explainJson('balance', accountId, '--all');
    const third = steps![2]!;
    const { days } = await explainJson('balance', accountId, '--as-of', third.position);
    expect(days).toMatchObject([{ revision: 2, available: '785.00', held: '200.00' }]);
  });

  it('shows an operation with the events of its account, found through the read model', async () => {
    const { steps } = await explainJson('operation', idOf(1));
    expect(steps!.map(({ type }) => type)).toEqual([
      ...['FundsReserved', 'OperationQueued', 'IssuerCallStarted', 'IssuerAccepted'],
      ...['ReservationCaptured', 'OperationCompleted'],
    ]);
    expect(steps![4]).toMatchObject({
      text: `The reserved 100.00 of operation ${idOf(1)} was captured.`,
      effects: [{ of: 'account', id: accountId, field: 'held', delta: '-100.00', after: '200.00' }],
    });
    const { out } = await explain('operation', idOf(1));
    expect(out).toContain('account held -100.00 = 200.00');
    expect(out).toMatch(/After the last event:\naccount .+: .+ available/);
  });

  it('finds the same events while the read model is behind or empty', async () => {
    const before = await explainJson('operation', idOf(2));
    const days = await explainJson('balance', accountId);
    await ledger.pool.query('DELETE FROM read_models.account_entries WHERE sequence >= 8');
    expect(await explainJson('operation', idOf(2))).toEqual(before);
    expect(await explainJson('balance', accountId)).toEqual(days);
    await ledger.pool.query('DELETE FROM read_models.account_entries');
    expect(await explainJson('operation', idOf(2))).toEqual(before);
    expect(await explainJson('balance', accountId)).toEqual(days);
  });

  it('shows an entry by its id or by its event', async () => {
    const { rows } = await ledger.pool.query<{ id: string }>(
      `SELECT id FROM read_models.account_entries WHERE kind = 'capture'`,
    );
    const { steps } = await explainJson('entry', rows[0]!.id);
    expect(steps!.map(({ type }) => type).at(-1)).toBe('ReservationCaptured');
    expect((await explainJson('entry', `${accountId}@4`)).steps).toEqual(steps);
  });

  it('refuses a balance in the read model that differs from the log', async () => {
    const last = '(SELECT max(sequence) FROM read_models.account_entries)';
    await ledger.pool.query(
      `UPDATE read_models.account_entries SET available = available + 100 WHERE sequence = ${last}`,
    );
    const { exitCode, err } = await explain('balance', accountId);
    expect(exitCode).toBe(1);
    expect(err).toContain('differs from the log at revision 5. Run `florin audit`');
  });

  it('reports what the log does not have, and wrong usage', async () => {
    for (const kind of ['balance', 'operation', 'invoice', 'card', 'entry']) {
      const { exitCode, err } = await explain(kind, idOf(99));
      expect(exitCode).toBe(1);
      expect(err).toContain(`The log has no ${kind} ${idOf(99)}. Check the id.`);
    }
    expect((await explain('balance', accountId, '--as-of', '2029-01-01')).err).toContain('up to that time');
    expect(await explain('weather', 'x')).toMatchObject({ exitCode: 2 });
    expect(await explain('balance', accountId, '--as-of', 'yesterday')).toMatchObject({ exitCode: 2 });
  });
});
