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
  const reserve = (id: string, amount: string) => {
    return {
      type: 'CreateReservation',
      data: { reservationId: id, reference: id, amount, description, fingerprint: id, requestedAt },
    };
  };
  await run(acme, deposit('d1', '1000.00', '15.00'));
  await run(ida, deposit('d2', '7.00', '0.00'));
  clock.set('2030-01-01T23:59:59.999Z');
  await run(acme, reserve('r1', '103.20'));
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

async function statement(owner: typeof acme, from: string, to: string, limit = 100): Promise<StatementView> {
  const until = new Date(Date.parse(`${to}T00:00:00Z`) + 86_400_000);
  const view = await queries.statement(owner, new Date(`${from}T00:00:00Z`), until, limit);
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
      ['capture', '-103.20', '0.00', '-103.20', '881.80', '2030-01-02T00:00:00.000Z'],
      ['reservation', '0.00', '-50.00', '50.00', '881.80', '2030-01-02T00:00:00.000Z'],
      ['release', '0.00', '50.00', '-50.00', '881.80', '2030-01-04T12:00:00.000Z'],
    ]);
    expect(lines[2]).toMatchObject({ reference: 'r1', description });
    expect(new Set(lines.map(({ id }) => id)).size).toBe(6);
  });

  it('splits days at midnight UTC, and the closing balance of a day is the opening balance of the next', async () => {
    const days = ['2029-12-31', '2030-01-01', '2030-01-02', '2030-01-03', '2030-01-04', '2030-01-05'];
    const views = await Promise.all(days.map((day) => statement(acme, day, day)));
    expect(views.map(({ lines }) => lines.length)).toEqual([0, 3, 2, 0, 1, 0]);
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
    const range = [new Date('2030-01-01'), new Date('2031-01-01')] as const;
    await expect(queries.statement(acme, ...range, 6)).resolves.toMatchObject({ lines: { length: 6 } });
    await expect(queries.statement(acme, ...range, 5)).resolves.toBeUndefined();
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
