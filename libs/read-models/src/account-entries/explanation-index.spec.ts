import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import type { Pool } from 'pg';
import { ExplanationIndex } from './explanation-index.query';

const acme = 'c0ffee00-0000-4000-8000-000000000001';
const other = 'c0ffee00-0000-4000-8000-000000000002';
const feeId = 'fee00000-0000-4000-8000-000000000001';

let database: TestDatabase;
let pool: Pool;
let index: ExplanationIndex;

/** Two events of one day, the first with a fee, and one of the next day; one of another company. */
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  index = ExplanationIndex.on(pool);
  await pool.query(
    `INSERT INTO read_models.account_entries (company_id, environment, sequence, id, kind, reference, description,
       available_delta, held_delta, available, held, created_at) VALUES
     ($1, 'live', 0, gen_random_uuid(), 'deposit', 'i1', '', 1000, 0, 1000, 0, '2030-01-01T00:00:00Z'),
     ($1, 'live', 1, $3, 'fee', 'i1', '', -10, 0, 990, 0, '2030-01-01T00:00:00Z'),
     ($1, 'live', 4, gen_random_uuid(), 'reservation', 'op1', '', -90, 90, 900, 90, '2030-01-01T23:59:59.999Z'),
     ($1, 'live', 8, gen_random_uuid(), 'capture', 'op1', '', 0, -90, 900, 0, '2030-01-02T00:00:00Z'),
     ($2, 'live', 0, gen_random_uuid(), 'deposit', 'op1', '', 7, 0, 7, 0, '2030-01-01T00:00:00Z')`,
    [acme, other, feeId],
  );
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('The index of explanations', () => {
  const first = {
    ...{ date: '2030-01-01', revision: 1, available: 900n, held: 90n },
    entries: [
      { kind: 'deposit', count: 1, availableDelta: 1_000n, heldDelta: 0n },
      { kind: 'fee', count: 1, availableDelta: -10n, heldDelta: 0n },
      { kind: 'reservation', count: 1, availableDelta: -90n, heldDelta: 90n },
    ],
  };
  const second = {
    ...{ date: '2030-01-02', revision: 2, available: 900n, held: 0n },
    entries: [{ kind: 'capture', count: 1, availableDelta: 0n, heldDelta: -90n }],
  };

  it('has the days of an account, before a time or up to a revision', async () => {
    const days = (bound: { before?: Date; revision?: number }) => index.daysOf(`${acme}-live`, bound);
    expect(await days({})).toEqual([first, second]);
    expect(await days({ before: new Date('2030-01-02T00:00:00Z') })).toEqual([first]);
    expect(await days({ revision: 1 })).toEqual([first]);
    expect(await days({ revision: 0 })).toMatchObject([{ revision: 0, available: 990n, held: 0n }]);
    expect(await days({ revision: -1 })).toEqual([]);
  });

  it('finds the events of an account with a reference', async () => {
    const since = new Date('2030-01-01T00:00:00Z');
    const find = (account: string, reference: string, from = since) => index.revisionsOf(account, reference, from);
    expect(await find(`${acme}-live`, 'op1')).toEqual({ revisions: [1, 2], indexedTo: 2 });
    expect(await find(`${acme}-live`, 'i1')).toEqual({ revisions: [0], indexedTo: 2 });
    expect(await find(`${acme}-live`, 'op1', new Date('2030-01-02'))).toEqual({ revisions: [2], indexedTo: 2 });
    expect(await find(`${acme}-sandbox`, 'op1')).toEqual({ revisions: [], indexedTo: -1 });
  });

  it('finds the event of an entry, and nothing for an unknown id', async () => {
    expect(await index.findEntry(feeId)).toEqual({ accountId: `${acme}-live`, revision: 0 });
    expect(await index.findEntry(acme)).toBeUndefined();
    expect(await index.findEntry('nonsense')).toBeUndefined();
    expect(await index.accountOfInvoice(acme)).toBeUndefined();
    expect(await index.accountOfInvoice('nonsense')).toBeUndefined();
    expect(await index.daysOf('nonsense', {})).toEqual([]);
    expect(await index.newestRevision('nonsense')).toBe(-1);
  });
});
