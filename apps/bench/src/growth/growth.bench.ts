import { createPool, databaseUrl } from '@florin/database';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Bench, BenchRow } from '../bench';
import { type BenchCompany, createCompanies } from '../http/bench-companies';
import { type ProductProcess, startProduct } from '../http/server-process';
import { median } from '../measure';
import { waitUntilIdle } from '../operations/wait-until-idle';
import { GeneratedHistory, type Template } from './generated-history';

const requests = 100;
const listedTables = 3;
/** The server reports what its connections have read after they were idle for ten seconds. */
const statisticsDelayMs = 11_000;

/** What requests and a start cost with a long history. Pages vary less than durations on a shared machine. */
export const growthBench: Bench = {
  name: 'growth',
  title:
    'Requests of a company with a tenth of all operations, and a start, with a long history: ms, and database pages per request',
  run: async ({ createDatabase, millions, progress }) => {
    const connection = await createDatabase();
    const env = { DATABASE_URL: databaseUrl(connection), VAULT_KEY: randomBytes(32).toString('base64') };
    const pool = createPool(connection, { max: 1 });
    try {
      let product = await startProduct(env);
      const [company] = await createCompanies(product, 1);
      const history = await GeneratedHistory.create(pool, await issueTemplate(product, company!, pool));
      await product.stop();
      const rows: BenchRow[] = [];
      for (const size of millions) {
        await history.growTo(size * 1_000_000, progress);
        let before = await touchedPages(pool);
        const begin = performance.now();
        product = await startProduct(env);
        const startMs = performance.now() - begin;
        const started = await touchedPages(pool);
        const name = `${size} million events`;
        progress(`${name}: start: ${startMs.toFixed(0)} ms; hundreds of pages: ${mostTouched(before, started)}`);
        const pages = { pages: started.all - before.all, 'pages not in memory': started.read - before.read };
        rows.push({ what: `${name}: start`, figures: { ms: startMs, ...pages, 'database GB': await gigabytes(pool) } });
        before = started;
        for (const [what, send] of Object.entries(loadsOf(product, company!))) {
          const durations = await durationsOf(send);
          const after = await touchedPages(pool);
          const figures = figuresOf(durations, before, after);
          progress(`${name}: ${what}: ${JSON.stringify(figures)}; pages: ${mostTouched(before, after)}`);
          rows.push({ what: `${name}: ${what}`, figures });
          before = after;
        }
        await product.stop();
      }
      return rows;
    } finally {
      await pool.end();
    }
  },
};

type Send = (number: number) => Promise<unknown>;

function loadsOf(product: ProductProcess, company: BenchCompany): Readonly<Record<string, Send>> {
  const get = (path: string) => () => request(product, company, path);
  const today = new Date().toISOString().slice(0, 10);
  const run = Date.now();
  let newest = '';
  return {
    'POST an operation, with its completion': async (number) => {
      newest = (await issue(product, company, `${run}-${number}`))['id'] as string;
    },
    'GET an operation': () => request(product, company, `/operations/${newest}`),
    'GET the newest operations': get('/operations?limit=50'),
    'GET the oldest operations': get('/operations?limit=50&createdTo=2024-01-01T01:00:00.000Z'),
    'GET the newest cards': get('/cards?limit=50'),
    'GET the balance': get('/balance'),
    "GET today's statement": get(`/account-statements?from=${today}&to=${today}`),
  };
}

async function durationsOf(send: Send): Promise<readonly number[]> {
  const durations: number[] = [];
  for (let number = 0; number < requests; number++) {
    const begin = performance.now();
    await send(number);
    durations.push(performance.now() - begin);
  }
  return durations;
}

function figuresOf(durations: readonly number[], before: Pages, after: Pages): BenchRow['figures'] {
  const perRequest = (of: 'all' | 'read'): number => (after[of] - before[of]) / requests;
  return { ms: median(durations), pages: perRequest('all'), 'pages not in memory': perRequest('read') };
}

interface Pages {
  readonly all: number;
  /** Read from the file system. */
  readonly read: number;
  readonly byTable: ReadonlyMap<string, number>;
}

async function touchedPages(pool: Pool): Promise<Pages> {
  await delay(statisticsDelayMs);
  const { rows } = await pool.query<{ table: string; hit: number; read: number }>(`
    SELECT schemaname || '.' || relname AS table, (heap_blks_read + coalesce(idx_blks_read, 0))::float8 AS read,
      (heap_blks_hit + coalesce(idx_blks_hit, 0))::float8 AS hit
    FROM pg_statio_user_tables`);
  const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);
  return {
    all: sum(rows.map(({ hit, read }) => hit + read)),
    read: sum(rows.map(({ read }) => read)),
    byTable: new Map(rows.map(({ table, hit, read }) => [table, hit + read])),
  };
}

/** The tables with most pages, and their number per request. */
function mostTouched(before: Pages, after: Pages): string {
  const pages = [...after.byTable].map(
    ([table, count]) => [table, (count - (before.byTable.get(table) ?? 0)) / requests] as const,
  );
  const most = pages.sort(([, a], [, b]) => b - a).slice(0, listedTables);
  return most.map(([table, count]) => `${table} ${count.toFixed(1)}`).join(', ');
}

async function gigabytes(pool: Pool): Promise<number> {
  const text = 'SELECT pg_database_size(current_database())::float8 / 1e9 AS size';
  return (await pool.query<{ size: number }>(text)).rows[0]!.size;
}

async function issueTemplate(product: ProductProcess, company: BenchCompany, pool: Pool): Promise<Template> {
  const { rows } = await pool.query<{ head: string }>('SELECT max(position) AS head FROM event_store.events');
  const { id } = await issue(product, company, 'template');
  await waitUntilIdle(product.baseUrl, [company]);
  // Webhook events are written last.
  await delay(2_000);
  const text = 'SELECT company_id, card_id FROM read_models.operations WHERE id = $1';
  const { company_id: companyId, card_id: cardId } = (
    await pool.query<{ company_id: string; card_id: string }>(text, [id])
  ).rows[0]!;
  return { after: rows[0]!.head, companyId, cardId, operationId: id as string };
}

function issue(product: ProductProcess, company: BenchCompany, key: string): Promise<Record<string, unknown>> {
  const { holderId } = company;
  const body = { type: 'issue', productId: 'virtual-usd', amount: '100.00', expectedTotal: '103.20', holderId };
  return request(product, company, '/operations', { body, key });
}

async function request(
  { baseUrl }: ProductProcess,
  company: BenchCompany,
  path: string,
  post?: { readonly body: object; readonly key: string },
): Promise<Record<string, unknown>> {
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    headers: {
      Authorization: `Bearer ${company.key}`,
      ...(post && { 'Content-Type': 'application/json', 'Idempotency-Key': post.key }),
    },
    ...(post && { method: 'POST', body: JSON.stringify(post.body) }),
  });
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
