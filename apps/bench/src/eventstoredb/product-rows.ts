import { performance } from 'node:perf_hooks';
import type { BenchContext, BenchRow } from '../bench';
import { cpuMicroseconds } from '../cpu-time';
import { type BenchCompany, createCompanies } from '../http/bench-companies';
import { compareServers } from '../http/compare-servers';
import { sendAll } from '../http/http-load';
import { type ProductProcess, startProduct } from '../http/server-process';
import { median } from '../measure';
import { issueRequests } from '../operations/issue-requests';
import { waitUntilIdle } from '../operations/wait-until-idle';
import { undisturbed } from '../stolen-time';
import { startBenchEventStore } from './bench-event-store';

const connections = 32;
const accounts = 50;

interface Contestant {
  readonly name: string;
  readonly product: ProductProcess;
  readonly companies: readonly BenchCompany[];
  /** The product with its Postgres, and the event store. */
  readonly pids: readonly number[];
}

interface Run {
  readonly perSecond: number;
  readonly nodeMicroseconds: number;
  readonly allMicroseconds: number;
}

/** The product on both event stores, in the same run: whole operations, CPU per operation, and reads. */
export async function productRows(context: BenchContext): Promise<BenchRow[]> {
  const server = await startBenchEventStore();
  const env = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: server.url };
  const [onPostgres, onEventStoreDb] = await Promise.all([startProduct(), startProduct(env)]);
  try {
    const contestants: Contestant[] = [
      { name: 'Postgres', product: onPostgres, companies: [], pids: [onPostgres.pid] },
      { name: 'EventStoreDB', product: onEventStoreDb, companies: [], pids: [onEventStoreDb.pid, server.pid] },
    ];
    const prepared: Contestant[] = [];
    for (const contestant of contestants) {
      prepared.push({ ...contestant, companies: await createCompanies(contestant.product, accounts) });
    }
    return [...(await operationRows(context, prepared)), ...(await readRows(context, prepared))];
  } finally {
    await Promise.all([onPostgres.stop(), onEventStoreDb.stop()]);
    await server.stop();
  }
}

/** From the first request until the last operation has completed. The first round is a warm-up. */
async function operationRows(context: BenchContext, contestants: readonly Contestant[]): Promise<BenchRow[]> {
  const runs = new Map<Contestant, Run[]>(contestants.map((contestant) => [contestant, []]));
  for (let round = 0; round <= context.rounds; round++) {
    for (const contestant of round % 2 === 0 ? contestants : [...contestants].reverse()) {
      const run = await undisturbed(() => runOperations(context, contestant));
      context.progress(`operations on ${contestant.name}: ${Math.round(run.perSecond)}/s`);
      if (round > 0) runs.get(contestant)!.push(run);
    }
  }
  const of = (contestant: Contestant, figure: keyof Run): number =>
    median(runs.get(contestant)!.map((run) => run[figure]));
  return contestants.map((contestant) => ({
    what: `whole operations, ${contestant.name}`,
    figures: {
      'per s': of(contestant, 'perSecond'),
      'ratio to Postgres': of(contestant, 'perSecond') / of(contestants[0]!, 'perSecond'),
      'CPU µs, Florin and its Postgres': of(contestant, 'nodeMicroseconds'),
      'CPU µs, all': of(contestant, 'allMicroseconds'),
    },
  }));
}

async function runOperations({ durationMs }: BenchContext, contestant: Contestant): Promise<Run> {
  const { product, companies, pids } = contestant;
  const before = pids.map(cpuMicroseconds);
  const begin = performance.now();
  const load = { url: product.baseUrl, connections, next: issueRequests(companies) };
  const { requests } = await sendAll({ ...load, durationMs: durationMs * 2 });
  await waitUntilIdle(product.baseUrl, companies);
  const seconds = (performance.now() - begin) / 1_000;
  const used = pids.map((pid, index) => (cpuMicroseconds(pid) - before[index]!) / requests);
  return {
    perSecond: requests / seconds,
    nodeMicroseconds: used[0]!,
    allMicroseconds: used.reduce((sum, each) => sum + each, 0),
  };
}

async function readRows(context: BenchContext, contestants: readonly Contestant[]): Promise<BenchRow[]> {
  const loads = contestants.map(({ name, product, companies }) => ({
    ...{ name: `balance reads, ${name}`, url: product.baseUrl, connections },
    next: (sequence: number) => ({ path: '/api/v1/balance', key: companies[sequence % companies.length]!.key }),
  }));
  const rows = await compareServers(context, loads, [loads[0]!.name]);
  return rows.map(({ what, figures }) => ({
    what,
    figures: {
      'per s': figures['requests/s']!,
      'ratio to Postgres': figures[`ratio to ${loads[0]!.name}`]!,
      ...{ 'p50 ms': figures['p50 ms']!, 'p99 ms': figures['p99 ms']! },
    },
  }));
}
