import type { ServerProcess } from '@florin/dev-platform';
import type { Bench, BenchRow } from '../bench';
import { createCompanies } from '../http/bench-companies';
import { type Load, sendAll } from '../http/http-load';
import { startEmptyPost } from '../http/server-process';
import { median } from '../measure';
import { issueRequests } from '../operations/issue-requests';
import { cpuMicroseconds } from '../cpu-time';
import { MeasuredProduct, totalMicroseconds, type Work } from './measured-product';

const connections = 64;
const accounts = 100;
/** Part of the full load in the second measurement, where batches are smaller. */
const partOfLoad = 0.3;
/** Shows where most of the bytes are written. */
const listedTables = 6;

interface Round {
  readonly requests: number;
  readonly emptyMicroseconds: number;
  readonly work: Work;
}

/** CPU time and bytes from the request to the completed operation: they vary less than the rate on a shared machine. */
export const costBench: Bench = {
  name: 'cost',
  title: `CPU time, memory and database work per operation (issue), ${connections} connections over ${accounts} accounts`,
  run: async (context) => {
    const product = await MeasuredProduct.start(context);
    const empty = await startEmptyPost();
    try {
      const next = issueRequests(await createCompanies(product.process, accounts));
      const load = { url: product.process.baseUrl, connections, durationMs: context.durationMs * 4, next };
      context.progress('warm-up');
      await sendAll(load);
      await product.waitUntilIdle();
      const full = await sendAll(load);
      await product.waitUntilIdle();
      const rows: BenchRow[] = [];
      for (const [name, requestsPerSecond] of [
        ['full load', undefined],
        [`${partOfLoad * 100} % of it`, full.requestsPerSecond * partOfLoad],
      ] as const) {
        const rounds: Round[] = [];
        for (let round = 0; round < context.rounds; round++) {
          rounds.push(await measureRound(empty, product, { ...load, ...(requestsPerSecond && { requestsPerSecond }) }));
          context.progress(`${name}, round ${round + 1}: ${describe(rounds.at(-1)!)}`);
        }
        rows.push(...rowsOf(name, rounds));
      }
      return rows;
    } finally {
      await Promise.all([empty.stop(), product.stop()]);
    }
  },
};

/** The empty POST is measured at full load: it is the unit of cost. */
async function measureRound(empty: ServerProcess, product: MeasuredProduct, load: Load): Promise<Round> {
  const before = cpuMicroseconds(empty.pid);
  const { requestsPerSecond: _, ...fullLoad } = load;
  const { requests: posts } = await sendAll({ ...fullLoad, url: empty.baseUrl });
  const emptyMicroseconds = (cpuMicroseconds(empty.pid) - before) / posts;
  let requests = 0;
  const work = await product.measure(async () => {
    ({ requests } = await sendAll(load));
  });
  return { requests, emptyMicroseconds, work };
}

function rowsOf(name: string, rounds: readonly Round[]): BenchRow[] {
  const perOperation = (figure: (work: Work) => number): number =>
    median(rounds.map(({ work, requests }) => figure(work) / requests));
  const cpu = (what: string, figure: (work: Work) => number): BenchRow => ({
    what: `${name}: ${what}`,
    figures: {
      'CPU µs': perOperation(figure),
      'ratio to empty POST': median(
        rounds.map(({ work, requests, emptyMicroseconds }) => figure(work) / requests / emptyMicroseconds),
      ),
    },
  });
  const tables = rounds[0]!.work.tables.slice(0, listedTables).map(({ table }) => table);
  const inTable = (table: string, column: 'walBytes' | 'pageBytes' | 'inserts' | 'updates' | 'hotUpdates'): number =>
    perOperation((work) => work.tables.find((one) => one.table === table)?.[column] ?? 0);
  return [
    { what: `${name}: empty POST`, figures: { 'CPU µs': median(rounds.map((round) => round.emptyMicroseconds)) } },
    cpu('all processes', totalMicroseconds),
    cpu('Node, main thread', ({ threads }) => threads.main),
    cpu('Node, projections', ({ threads }) => threads.second),
    cpu('Node, other threads', ({ threads }) => threads.others),
    cpu('Postgres', ({ postgresMicroseconds }) => postgresMicroseconds),
    { what: `${name}: allocated`, figures: { bytes: perOperation(({ allocatedBytes }) => allocatedBytes) } },
    {
      what: `${name}: WAL`,
      figures: {
        bytes: perOperation(({ tables: all }) => all.reduce((sum, { walBytes }) => sum + walBytes, 0)),
        'full pages': perOperation(({ tables: all }) => all.reduce((sum, { pageBytes }) => sum + pageBytes, 0)),
      },
    },
    ...tables.map((table) => ({
      what: `${name}: WAL of ${table}`,
      figures: {
        bytes: inTable(table, 'walBytes'),
        'full pages': inTable(table, 'pageBytes'),
        inserts: inTable(table, 'inserts'),
        updates: inTable(table, 'updates'),
        'HOT updates': inTable(table, 'hotUpdates'),
      },
    })),
  ];
}

function describe({ requests, emptyMicroseconds, work }: Round): string {
  const total = totalMicroseconds(work) / requests;
  return `${requests} operations, ${Math.round(total)} µs each, ${(total / emptyMicroseconds).toFixed(1)} empty POSTs`;
}
