import { createPool, databaseUrl } from '@florin/database';
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { BenchContext, BenchRow } from '../bench';
import { createCompanies } from '../http/bench-companies';
import { startProduct } from '../http/server-process';
import { medians } from '../measure';

const entries = 10_000;

/** A statement over HTTP, with its hash, against the query of its entries. */
export async function measureStatement({ createDatabase, rounds, progress }: BenchContext): Promise<BenchRow> {
  const connection = await createDatabase();
  const product = await startProduct({
    DATABASE_URL: databaseUrl(connection),
    VAULT_KEY: randomBytes(32).toString('base64'),
  });
  const pool = createPool(connection, { max: 1 });
  try {
    progress(`writing ${entries} statement entries …`);
    const [company] = await createCompanies(product, 1);
    const { key } = company!;
    // One entry is the money that the company starts with.
    await fund(product.baseUrl, key, entries - 1);
    const today = new Date().toISOString().slice(0, 10);
    const url = `${product.baseUrl}/api/v1/account-statements?from=${today}&to=${today}`;
    const { statement, query } = await medians(
      {
        statement: () =>
          milliseconds(async () => {
            const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
            if (!response.ok) throw new Error(`The statement returned ${response.status}`);
            await response.arrayBuffer();
          }),
        query: () =>
          milliseconds(async () => {
            await pool.query('SELECT * FROM read_models.account_entries ORDER BY sequence');
          }),
      },
      rounds,
    );
    return {
      what: `statement of ${entries.toLocaleString('en-US')} entries`,
      figures: { ms: statement, 'query ms': query, 'times the query': statement / query },
    };
  } finally {
    await pool.end();
    await product.stop();
  }
}

async function fund(baseUrl: string, key: string, requests: number): Promise<void> {
  let sent = 0;
  const send = async (): Promise<void> => {
    while (sent < requests) {
      const response = await fetch(`${baseUrl}/api/v1/sandbox/funding`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': `bench-${sent++}`,
        },
        body: '{"amount":"1.00"}',
      });
      if (!response.ok) throw new Error(`Funding returned ${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 64 }, send));
}

async function milliseconds(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
