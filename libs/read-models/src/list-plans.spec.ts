import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import type { Pool } from 'pg';
import { CardQueries } from './cards/cards.queries';
import { HolderQueries } from './holders/holders.queries';
import { InvoiceQueries } from './invoices/invoices.queries';
import type { Page } from './keyset-page';
import { OperationQueries } from './operations/operations.queries';
import { type ReadConnection, ReadDatabase, type Reader } from './read-database';
import { upToDate } from './testing/read-model-database';
import { TransactionQueries } from './transactions/transactions.queries';
import { WebhookQueries } from './webhooks/webhooks.queries';

const rows = 6_000;
/** A list may skip this many rows for a page, and not the rows of the whole company. */
const maxSkipped = 200;
/** A list without a match reads the path to a leaf of an index, of at most two tables. */
const maxBlocksWithoutMatch = 12;
const limit = 51;

const companyId = 'c0ffee00-0000-4000-8000-000000000001';
const owner = { companyId, environment: 'sandbox' };
const cardId = 'cadcad00-0000-4000-8000-000000000007';
const holderId = 'babe0000-0000-4000-8000-000000000007';
const after = { createdAt: '2030-01-01T01:00:00.000Z', id: 'ffffffff-0000-4000-8000-000000000000' };

/** One of 500 rows has the rare value, all others have the common one. */
const oneOf500 = (rare: string, common: string): string => `CASE n % 500 WHEN 7 THEN '${rare}' ELSE '${common}' END`;
const id = (prefix: string, number: string): string =>
  `('${prefix}-0000-4000-8000-' || lpad(${number}, 12, '0'))::uuid`;
const metadata = `jsonb_build_object('order', ${oneOf500('rare', 'common')}, 'number', n::text)`;
const companies = `CASE n % 10 WHEN 0 THEN gen_random_uuid() ELSE '${companyId}'::uuid END`;
const time = `timestamptz '2030-01-01' + n * interval '1 second'`;
const series = `FROM generate_series(1, ${rows}) AS n`;

const history = `
  INSERT INTO read_models.transactions
      (id, company_id, environment, card_id, reference, type, amount, currency, merchant, country, description, occurred_at,
       status, revision, authorized_amount, cleared_amount, updated_at)
    SELECT ${id('aaaa0000', 'n::text')}, ${companies}, 'sandbox', ${id('cadcad00', '(n % 500)::text')}, 'r' || n,
      ${oneOf500('refund', 'purchase')}, 100, 'USD', 'Shop', 'US', '', ${time}, ${oneOf500('declined', 'completed')}, 1, 100, 100,
      ${time} ${series};
  INSERT INTO read_models.cards
      (id, company_id, environment, holder_id, product_id, name, last4, card_reference, created_at, status, balance,
        available, updated_at, revision, metadata)
    SELECT ${id('aaaa0000', 'n::text')}, ${companies}, 'sandbox', ${id('babe0000', '(n % 500)::text')},
      ${oneOf500('rare', 'common')}, 'Travel', '4242', NULL, ${time}, ${oneOf500('frozen', 'active')}, 0, 0, ${time}, 1, ${metadata}
      ${series};
  INSERT INTO read_models.holders
      (id, company_id, environment, kind, external_id, name, email, created_at, updated_at, status, revision, metadata)
    SELECT ${id('aaaa0000', 'n::text')}, ${companies}, 'sandbox', ${oneOf500('corporate', 'individual')}, 'e' || n, 'Ida',
      'ida@example.com', ${time}, now(), ${oneOf500('blocked', 'active')}, 1, ${metadata} ${series};
  INSERT INTO read_models.operations
      (id, company_id, environment, type, product_id, amount, fee, total, card_id, created_at, status, updated_at, revision,
        metadata)
    SELECT ${id('aaaa0000', 'n::text')}, ${companies}, 'sandbox', ${oneOf500('topup', 'issue')}, 'p', 1, 1, 2,
      ${id('cadcad00', '(n % 500)::text')}, ${time},
      CASE n % 500 WHEN 7 THEN 'completed' WHEN 8 THEN 'manual_review' ELSE 'failed' END, now(), 1, ${metadata} ${series};
  INSERT INTO read_models.invoices
      (id, company_id, environment, deposit_amount, fee, credit_amount, created_at, expires_at, status, paid, updated_at, revision,
        metadata)
    SELECT ${id('aaaa0000', 'n::text')}, ${companies}, 'sandbox', 1, 1, 1, ${time}, now(),
      ${oneOf500('completed', 'expired')}, false, now(), 1, ${metadata} ${series};
  INSERT INTO webhooks.compact_events (company_id, id, object_id, position, environment, type, object_version, object)
    SELECT ${companies}, (lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || '7' || lpad(n::text, 19, '0'))::uuid,
      ${id('aaaa0000', 'n::text')}, n, 'sandbox', (${oneOf500('card.updated', 'operation.completed')})::webhooks.compact_event_type, 1,
      '{}' ${series};
  INSERT INTO webhooks.events (id, company_id, environment, type, object_id, object_version, object, created_at, position)
    SELECT 'evt_' || lpad(n::text, 32, '0'), ${companies}, 'sandbox', ${oneOf500('holder.updated', 'holder.created')},
      ${id('babe0000', 'n::text')}, 1, '{}', ${time}, n ${series};
  ANALYZE read_models.transactions, read_models.cards, read_models.holders, read_models.operations, read_models.invoices,
    webhooks.compact_events, webhooks.events;`;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

let database: TestDatabase;
let pool: Pool;
let reads: ReadDatabase;
const statements: Statement[] = [];

/** Records the statements of the lists, exactly as they are sent. */
class RecordingDatabase extends ReadDatabase {
  override async read<Result>(reader: Reader, task: (connection: ReadConnection) => Promise<Result>): Promise<Result> {
    return super.read(reader, async (connection) => {
      const { pool: used } = connection;
      const send = used.query.bind(used) as (statement: Statement, ...more: unknown[]) => Promise<unknown>;
      used.query = ((statement: Statement, ...more: unknown[]) => {
        statements.push(statement);
        return send(statement, ...more);
      }) as typeof used.query;
      try {
        return await task(connection);
      } finally {
        used.query = send as unknown as typeof used.query;
      }
    });
  }
}

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  reads = new RecordingDatabase(database.connection);
  await pool.query(history);
});

afterAll(async () => {
  await Promise.all([pool.end(), reads.close()]);
  await database.drop();
});

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

async function planOf({ text, values }: Statement): Promise<readonly PlanNode[]> {
  const { rows: plans } = await pool.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    [...values],
  );
  return nodesOf(plans[0]!['QUERY PLAN'][0]!.Plan);
}

type List = (page: Page) => Promise<readonly unknown[]>;

const transactions =
  (filter: object): List =>
  (page) =>
    new TransactionQueries(reads, upToDate).list(owner, filter, page);
const cards =
  (filter: object): List =>
  (page) =>
    new CardQueries(reads, upToDate).list(owner, filter, page);
const holders =
  (filter: object): List =>
  (page) =>
    new HolderQueries(reads, upToDate).list(owner, filter, page);
const operations =
  (filter: object): List =>
  (page) =>
    new OperationQueries(reads, upToDate).list(owner, filter, page);
const invoices =
  (filter: object): List =>
  (page) =>
    new InvoiceQueries(reads, upToDate).list(owner, filter, page);
const events =
  (filter: object): List =>
  (page) =>
    new WebhookQueries(reads, upToDate).events(owner, filter, page);

const lists: readonly (readonly [string, List])[] = [
  ['transactions', transactions({})],
  ['transactions of a card', transactions({ cardId })],
  ['transactions of a type', transactions({ type: 'refund' })],
  ['transactions with a status', transactions({ status: 'declined' })],
  ['transactions in a period', transactions({ from: '2030-01-01T00:10:00Z', to: '2030-01-01T00:20:00Z' })],
  ['cards', cards({})],
  ['cards with a status', cards({ status: 'frozen' })],
  ['cards of a holder', cards({ holderId })],
  ['cards of a product', cards({ productId: 'rare' })],
  ['cards with metadata', cards({ metadata: { order: 'rare' } })],
  ['holders', holders({})],
  ['holders of a kind', holders({ kind: 'corporate' })],
  ['holders with a status', holders({ status: 'blocked' })],
  ['holders with an external id', holders({ externalId: 'e7' })],
  ['holders with metadata', holders({ metadata: { order: 'rare' } })],
  ['operations', operations({})],
  ['operations of a type', operations({ type: 'topup' })],
  ['completed operations', operations({ status: 'completed' })],
  ['failed operations', operations({ status: 'failed' })],
  ['operations in review', operations({ status: 'manual_review' })],
  ['operations of a card', operations({ cardId })],
  ['operations with metadata', operations({ metadata: { order: 'rare' } })],
  ['operations with frequent metadata', operations({ metadata: { order: 'common' } })],
  ['operations of a type with a status', operations({ type: 'issue', status: 'failed' })],
  ['invoices', invoices({})],
  ['invoices with a status', invoices({ status: 'completed' })],
  ['invoices with metadata', invoices({ metadata: { order: 'rare' } })],
  ['webhook events', events({})],
  ['webhook events of a type', events({ type: 'card.updated' })],
  ['webhook events with personal data of a type', events({ type: 'holder.updated' })],
];

const withoutMatch: readonly (readonly [string, List])[] = [
  ['transactions with a status', transactions({ status: 'reversed' })],
  ['cards with a status', cards({ status: 'closed' })],
  ['operations of a type', operations({ type: 'unload' })],
  ['webhook events of a type', events({ type: 'invoice.failed' })],
  ['webhook events with personal data of a type', events({ type: 'webhook_endpoint.test' })],
];

describe('The list of', () => {
  it.each(lists)('%s reads only the rows of its page', async (_name, list) => {
    for (const page of [{ limit }, { limit, after }]) {
      statements.length = 0;
      expect((await list(page)).length).toBeGreaterThan(0);
      // A separate statement filters by metadata.
      expect(statements.length).toBeLessThanOrEqual(2);
      const plan = (await Promise.all(statements.map(planOf))).flat();
      expect(plan.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      for (const node of plan) {
        // A sort of the few matching rows costs less than reading them in order.
        if (node['Node Type'].includes('Sort')) expect(node['Actual Rows']).toBeLessThanOrEqual(maxSkipped);
        expect(node['Rows Removed by Filter'] ?? 0).toBeLessThanOrEqual(maxSkipped);
      }
    }
  });

  it.each(withoutMatch)('%s without a match reads no rows', async (_name, list) => {
    for (const page of [{ limit }, { limit, after }]) {
      statements.length = 0;
      expect(await list(page)).toEqual([]);
      const [root] = await planOf(statements[0]!);
      expect(root!['Shared Hit Blocks'] + root!['Shared Read Blocks']).toBeLessThanOrEqual(maxBlocksWithoutMatch);
    }
  });
});
