import type { DatabaseConnection } from '@florin/database';
import { startServerProcess } from '@florin/dev-platform';
import { join } from 'node:path';
import type { Bench, BenchContext, BenchRow } from '../bench';
import { type BenchCompany, createCompanies } from '../http/bench-companies';
import { compareServers } from '../http/compare-servers';
import { type ProductProcess, startEmptyPost, startProduct } from '../http/server-process';
import { issueRequests } from './issue-requests';
import { readLag } from './read-lag';
import { waitUntilIdle } from './wait-until-idle';

const connections = 64;
const manyAccounts = 100;

/** Counts accepted operations, whose reservation and order are durable, with running processes and projections. */
export const operationsBench: Bench = {
  name: 'operations',
  title: `POST /operations, type issue, accepted durably, ${connections} connections (requests/s)`,
  run: async (context) => {
    const database = connectionString(await context.createDatabase());
    const emmettServer = join(__dirname, 'emmett-server.js');
    const [product, empty, emmett] = await Promise.all([
      startProduct(),
      startEmptyPost(),
      startServerProcess({ file: emmettServer, env: { BENCH_DATABASE_URL: database } }),
    ]);
    try {
      const companies = await createCompanies(product, manyAccounts);
      const drain = (): Promise<void> => waitUntilIdle(product.baseUrl, companies);
      const [one, many] = [issueRequests(companies.slice(0, 1)), issueRequests(companies)];
      context.progress('one account and many accounts, alternating with the empty POST and a service on emmett');
      const accepted = await compareServers(
        context,
        [
          { name: 'empty POST', url: empty.baseUrl, connections, next: many },
          { name: 'emmett, many', url: emmett.baseUrl, connections, next: many },
          { name: 'emmett, one', url: emmett.baseUrl, connections, next: one },
          { name: 'operations, many', url: product.baseUrl, connections, next: many, drain },
          { name: 'operations, one', url: product.baseUrl, connections, next: one, drain },
        ],
        ['empty POST', 'emmett, many', 'emmett, one', 'operations, many'],
      );
      context.progress('a single connection');
      const single = await compareServers(
        context,
        [
          { name: 'empty POST, 1 connection', url: empty.baseUrl, connections: 1, next: many },
          { name: 'operations, 1 connection', url: product.baseUrl, connections: 1, next: many, drain },
        ],
        [],
      );
      const full = accepted.find(({ what }) => what === 'operations, many')!.figures['requests/s']!;
      return [...accepted, ...single, ...(await lagAtHalfLoad(context, product, companies, full))];
    } finally {
      await Promise.all([product.stop(), empty.stop(), emmett.stop()]);
    }
  },
};

async function lagAtHalfLoad(
  context: BenchContext,
  product: ProductProcess,
  companies: readonly BenchCompany[],
  full: number,
): Promise<BenchRow[]> {
  context.progress('time until a new operation can be read, at half load');
  const load = { url: product.baseUrl, connections, next: issueRequests(companies), requestsPerSecond: full / 2 };
  const { accepted, lag } = await readLag({ ...load, durationMs: context.durationMs * 4 }, companies[0]!);
  return [
    { what: 'half load', figures: { 'requests/s': accepted.requestsPerSecond, 'p50 ms': accepted.p50Ms } },
    { what: 'until readable, at half load', figures: { 'p50 ms': lag.p50Ms, 'p99 ms': lag.p99Ms } },
  ];
}

function connectionString({ host, user, password, database }: DatabaseConnection): string {
  const credentials = `${encodeURIComponent(user ?? '')}:${encodeURIComponent(String(password ?? ''))}`;
  return `postgresql://${credentials}@/${database}?host=${encodeURIComponent(host ?? '')}`;
}
