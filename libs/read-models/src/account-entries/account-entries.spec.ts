import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { CommandHandler, ReadYourWrites, Progress, type RecordedEvent } from '@florin/event-sourcing';
import { InMemoryCheckpointStore, InMemoryEventStore } from '@florin/event-sourcing/testing';
import { formatMoney, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { accountAggregate, type AccountCommand, accountIdOf } from '@florin/ledger-domain';
import type { Pool } from 'pg';
import { ReadDatabase } from '../read-database';
import { accountEntriesProjection } from './account-entries.projection';
import { AccountEntriesQueries, type StatementView } from './account-entries.queries';

const acme = { companyId: 'c0ffee00-0000-4000-8000-000000000001', environment: 'sandbox' };
const ida = { companyId: 'c0ffee00-0000-4000-8000-000000000002', environment: 'live' };

/** Special characters of all formats between the event and the table. */
const description = 'Card "issue", {1}\t\\t\r\n\\N \\. € 🃏';

let database: TestDatabase;
let pool: Pool;
let reads: ReadDatabase;
let queries: AccountEntriesQueries;
let events: readonly RecordedEvent[];

/** Three days of an account, produced by the real decider. */
async function history(): Promise<readonly RecordedEvent[]> {
  const store = new InMemoryEventStore();
  const clock = manualClock('2030-01-01T10:00:00.000Z');
  const accounts = new CommandHandler(accountAggregate, { store, clock });
  const headers = { correlationId: 'c', causationId: 'r', actor: serviceActor('test') };
  let count = 0;
  const run = (owner: typeof acme, command: { type: string; data: object }): Promise<unknown> => {
    const accountId = accountIdOf(owner.companyId, owner.environment);
    const full = { type: command.type, data: { accountId, ...command.data } } as AccountCommand;
    return accounts.handle(accountId, full, { id: `m${++count}`, headers });
  };
  const deposit = (id: string, amount: string, fee: string) => {
    return {
      type: 'DepositFunds',
      data: { depositId: id, reference: id, amount, fee, description: 'Deposit', fingerprint: id },
    };
  };
  const requestedAt = '2030-01-01T00:00:00.000Z';
  const reserve = (id: string, amount: string, fee?: string) => {
    return {
      type: 'CreateReservation',
      data: { reservationId: id, reference: id, amount, fee, description, fingerprint: id, requestedAt },
    };
  };
  await run(acme, deposit('d1', '1000.00', '15.00'));
  await run(ida, deposit('d2', '7.00', '0.00'));
  clock.set('2030-01-01T23:59:59.999Z');
  await run(acme, reserve('r1', '103.20', '3.20'));
  clock.set('2030-01-02T00:00:00.000Z');
  await run(acme, { type: 'CaptureReservation', data: { reservationId: 'r1' } });
  await run(acme, reserve('r2', '50.00'));
  clock.set('2030-01-04T12:00:00.000Z');
  await run(acme, { type: 'ReleaseReservation', data: { reservationId: 'r2' } });
  return (await store.readAll({ after: 0n })).events;
}

async function project(batch: readonly RecordedEvent[]): Promise<void> {
  const tx = await pool.connect();
  try {
    await tx.query('BEGIN');
    await accountEntriesProjection.project(batch, tx);
  } finally {
    // After a failure this rolls back.
    await tx.query('COMMIT');
    tx.release();
  }
}

async function statement(owner: typeof acme, from: string, to: string, revision?: number): Promise<StatementView> {
  const until = new Date(Date.parse(`${to}T00:00:00Z`) + 86_400_000);
  const view = await queries.statement(owner, { from: new Date(`${from}T00:00:00Z`), until, revision }, 100);
  if (view === undefined) throw new Error('too large');
  return view;
}

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  reads = new ReadDatabase(database.connection);
  const nothingToWaitFor = new ReadYourWrites({
    store: new InMemoryEventStore(),
    checkpoints: new InMemoryCheckpointStore(),
    progress: new Progress(),
  });
  queries = new AccountEntriesQueries(reads, nothingToWaitFor);
  events = await history();
  await project(events);
});

afterAll(async () => {
  await Promise.all([pool.end(), reads.close()]);
  await database.drop();
});

describe('the statement', () => {
  it('shows every movement with its deltas and the balance after it', async () => {
    const { lines } = await statement(acme, '2030-01-01', '2030-01-04');
    const view = lines.map(({ kind, amount, availableDelta, heldDelta, balance, createdAt }) => {
      return [kind, amount, availableDelta, heldDelta, balance, createdAt];
    });
    expect(view).toEqual([
      ['deposit', '1000.00', '1000.00', '0.00', '1000.00', '2030-01-01T10:00:00.000Z'],
      ['fee', '-15.00', '-15.00', '0.00', '985.00', '2030-01-01T10:00:00.000Z'],
      ['reservation', '0.00', '-103.20', '103.20', '985.00', '2030-01-01T23:59:59.999Z'],
      ['capture', '-100.00', '0.00', '-100.00', '885.00', '2030-01-02T00:00:00.000Z'],
      ['fee', '-3.20', '0.00', '-3.20', '881.80', '2030-01-02T00:00:00.000Z'],
      ['reservation', '0.00', '-50.00', '50.00', '881.80', '2030-01-02T00:00:00.000Z'],
      ['release', '0.00', '50.00', '-50.00', '881.80', '2030-01-04T12:00:00.000Z'],
    ]);
    expect(lines[2]).toMatchObject({ reference: 'r1', description });
    expect(lines[3]).toMatchObject({ reference: 'r1', description });
    expect(lines[4]).toMatchObject({ reference: 'r1', description });
    expect(new Set(lines.map(({ id }) => id)).size).toBe(7);
  });

  it('splits days at midnight UTC, and the closing balance of a day is the opening balance of the next', async () => {
    const days = ['2029-12-31', '2030-01-01', '2030-01-02', '2030-01-03', '2030-01-04', '2030-01-05'];
    const views = await Promise.all(days.map((day) => statement(acme, day, day)));
    expect(views.map(({ lines }) => lines.length)).toEqual([0, 3, 3, 0, 1, 0]);
    expect(views.map(({ closingBalance }) => formatMoney(closingBalance))).toEqual([
      '0.00',
      '985.00',
      '881.80',
      '881.80',
      '881.80',
      '881.80',
    ]);
    views.slice(1).forEach((view, index) => expect(view.openingBalance).toBe(views[index]!.closingBalance));
    for (const view of views) {
      expect(view.closingBalance).toBe(view.openingBalance + view.incoming - view.outgoing);
    }
  });

  it('is undefined if it is longer than the limit', async () => {
    const period = { from: new Date('2030-01-01'), until: new Date('2031-01-01') };
    await expect(queries.statement(acme, period, 7)).resolves.toMatchObject({ lines: { length: 7 } });
    await expect(queries.statement(acme, period, 6)).resolves.toBeUndefined();
    // As of revision 0 there are two entries.
    await expect(queries.statement(acme, { ...period, revision: 0 }, 2)).resolves.toMatchObject({ revision: 0 });
  });

  it('has the revision of the newest event up to the end of the period', async () => {
    const days = ['2029-12-31', '2030-01-01', '2030-01-02', '2030-01-03', '2030-01-04', '2030-01-05'];
    const views = await Promise.all(days.map((day) => statement(acme, day, day)));
    expect(views.map(({ revision }) => revision)).toEqual([-1, 1, 3, 3, 4, 4]);
    const instants = ['2030-01-01T23:59:59.999Z', '2030-01-02T00:00:00.000Z', '2030-01-05T00:00:00.000Z'];
    const revisions = await Promise.all(instants.map((instant) => queries.revisionAt(acme, new Date(instant))));
    expect(revisions).toEqual([0, 1, 4]);
    await expect(queries.revisionAt(acme, new Date('2029-01-01'))).resolves.toBe(-1);
  });

  it('leaves out everything after a given revision', async () => {
    const all = await statement(acme, '2030-01-01', '2030-01-04');
    const views = await Promise.all([-1, 0, 2, 4, 99].map((each) => statement(acme, '2030-01-01', '2030-01-04', each)));
    expect(views.map(({ revision, lines }) => [revision, lines.length])).toEqual([
      [-1, 0],
      [0, 2],
      [2, 5],
      [4, 7],
      [4, 7],
    ]);
    expect(views[2]!.lines).toEqual(all.lines.slice(0, 5));
    expect(views[4]).toEqual(all);
    // The opening balance is that of the revision, too.
    const opening = await statement(acme, '2030-01-03', '2030-01-04', 0);
    expect(opening).toMatchObject({ revision: 0, openingBalance: 98_500n, closingBalance: 98_500n, lines: [] });
  });

  it('never mixes companies or environments', async () => {
    expect((await statement(ida, '2030-01-01', '2030-01-04')).lines).toHaveLength(1);
    expect((await statement({ ...acme, environment: 'live' }, '2030-01-01', '2030-01-04')).lines).toEqual([]);
  });
});

describe('the balance', () => {
  it('is the balance after the newest entry', async () => {
    await expect(queries.balance(acme)).resolves.toEqual({ available: 88_180n, held: 0n });
    await expect(queries.balance(ida)).resolves.toEqual({ available: 700n, held: 0n });
    await expect(queries.balance({ ...ida, environment: 'sandbox' })).resolves.toEqual({ available: 0n, held: 0n });
  });
});

describe('the history of the balance', () => {
  const history = async (owner: typeof acme, from: string, until: string) =>
    (await queries.history(owner, new Date(from), new Date(until))).map(({ date, available, held, entries }) => [
      date,
      formatMoney(available),
      formatMoney(held),
      ...entries.map(({ kind, count, availableDelta, heldDelta }) => {
        return `${count} ${kind} ${formatMoney(availableDelta)} ${formatMoney(heldDelta)}`;
      }),
    ]);

  it('has every day with its closing balances and the sums of its entries, split at midnight UTC', async () => {
    expect(await history(acme, '2029-12-31', '2030-01-06')).toEqual([
      ['2029-12-31', '0.00', '0.00'],
      ['2030-01-01', '881.80', '103.20', '1 deposit 1000.00 0.00', '1 fee -15.00 0.00', '1 reservation -103.20 103.20'],
      ['2030-01-02', '831.80', '50.00', '1 capture 0.00 -100.00', '1 fee 0.00 -3.20', '1 reservation -50.00 50.00'],
      ['2030-01-03', '831.80', '50.00'],
      ['2030-01-04', '881.80', '0.00', '1 release 50.00 -50.00'],
      ['2030-01-05', '881.80', '0.00'],
    ]);
  });

  it('has the balances of earlier entries on its first day', async () => {
    expect(await history(acme, '2030-01-03', '2030-01-04')).toEqual([['2030-01-03', '831.80', '50.00']]);
    expect((await history(acme, '2031-01-01', '2032-01-02')).length).toBe(366);
  });

  it('never mixes companies or environments', async () => {
    const day = ['2030-01-01', '2030-01-02'] as const;
    expect(await history(ida, ...day)).toEqual([['2030-01-01', '7.00', '0.00', '1 deposit 7.00 0.00']]);
    expect(await history({ ...ida, environment: 'sandbox' }, ...day)).toEqual([['2030-01-01', '0.00', '0.00']]);
  });
});

describe('the projection', () => {
  const rows = async () => (await pool.query('SELECT * FROM read_models.account_entries ORDER BY 1, 2, 3')).rows;

  it('writes the same rows in a rebuild, one by one, and with every event twice', async () => {
    const before = await rows();
    await pool.query('TRUNCATE read_models.account_entries');
    for (const event of events) await project([event, event]);
    await project(events);
    expect(await rows()).toEqual(before);
  });

  it('keeps the other writes of its transaction when entries already exist', async () => {
    const tx = await pool.connect();
    await tx.query('BEGIN; CREATE TEMPORARY TABLE checkpoint AS SELECT 7 AS position');
    await accountEntriesProjection.project(events, tx);
    await tx.query('COMMIT');
    await expect(tx.query('SELECT position FROM checkpoint')).resolves.toMatchObject({ rows: [{ position: 7 }] });
    tx.release(true);
  });

  it('throws on an unknown stream name in its category', async () => {
    await expect(project([{ ...events[0]!, stream: 'account-nonsense' }])).rejects.toThrow(
      /not the stream of an account/,
    );
  });
});
