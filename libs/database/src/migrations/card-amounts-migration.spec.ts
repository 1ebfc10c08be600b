import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing';
import { PRISMA_DIRECTORY } from './migration-files';

const migrations = ['20261117000600_card_available', '20261117000700_transaction_amounts'].map((name) =>
  join(PRISMA_DIRECTORY, 'migrations', name, 'migration.sql'),
);

jest.setTimeout(60_000);

const cardWith = '00000000-0000-4000-8000-000000000001';
const cardWithout = '00000000-0000-4000-8000-000000000002';

/** On the database of the first release, where a pending payment had already reduced `balance`. */
describe('the migrations that separate the balance of a card from what is available', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ ...database.connection });
    await client.connect();
    await client.query('ALTER TABLE read_models.cards DROP COLUMN available, DROP COLUMN updated_at');
    const added = ['authorized_amount', 'cleared_amount', 'original_amount', 'original_currency', 'merchant_category'];
    const drops = [...added, 'decline_reason', 'updated_at'].map((name) => `DROP COLUMN ${name}`);
    await client.query(`ALTER TABLE read_models.transactions ${drops.join(', ')}`);
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const addCard = (id: string, balance: number) =>
    client.query(
      `INSERT INTO read_models.cards
         (id, company_id, environment, holder_id, product_id, name, last4, created_at, status, balance, revision)
       VALUES ($1, $1, 'live', $1, 'virtual-usd', '', '4242', '2030-01-01', 'active', $2, 1)`,
      [id, balance],
    );
  const addPayment = (type: string, status: string, amount: number) =>
    client.query(
      `INSERT INTO read_models.transactions
         (id, company_id, environment, card_id, reference, type, amount, currency, merchant, country, description, occurred_at,
          status, revision)
       VALUES (gen_random_uuid(), $1, 'live', $1, '', $2, $3, 'USD', '', 'NL', '', '2030-02-01', $4, 1)`,
      [cardWith, type, amount, status],
    );

  it('adds pending debits to the balance, and nothing else', async () => {
    await addCard(cardWith, 1_000);
    await addCard(cardWithout, 500);
    for (const [index, type] of ['purchase', 'withdrawal', 'fee', 'adjustment'].entries()) {
      await addPayment(type, 'pending', 10 ** index);
    }
    for (const type of ['refund', 'verification']) await addPayment(type, 'pending', 7_000);
    for (const status of ['completed', 'declined', 'reversed', 'expired']) await addPayment('purchase', status, 7_000);
    for (const migration of migrations) await client.query(readFileSync(migration, 'utf8'));
    const { rows } = await client.query(
      'SELECT id, available::int, balance::int, updated_at FROM read_models.cards ORDER BY id',
    );
    expect(rows).toEqual([
      { id: cardWith, available: 1_000, balance: 2_111, updated_at: new Date('2030-02-01') },
      { id: cardWithout, available: 500, balance: 500, updated_at: new Date('2030-01-01') },
    ]);
    const payments = await client.query(
      `SELECT DISTINCT type = 'purchase' AS purchase, status, amount = authorized_amount AS authorized, amount = cleared_amount AS cleared
       FROM read_models.transactions WHERE type IN ('purchase', 'refund') ORDER BY 1, 2`,
    );
    expect(payments.rows).toEqual([
      { purchase: false, status: 'pending', authorized: false, cleared: false },
      { purchase: true, status: 'completed', authorized: true, cleared: true },
      { purchase: true, status: 'declined', authorized: false, cleared: false },
      { purchase: true, status: 'expired', authorized: true, cleared: false },
      { purchase: true, status: 'pending', authorized: true, cleared: false },
      { purchase: true, status: 'reversed', authorized: true, cleared: false },
    ]);
  });
});
