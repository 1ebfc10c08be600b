import type { Bench, BenchContext, BenchRow } from '../bench';
import { createCompanies } from '../http/bench-companies';
import { sendAll } from '../http/http-load';
import { startProduct } from '../http/server-process';
import { compareServers, type HttpContestant } from '../http/compare-servers';
import { issueRequests } from '../operations/issue-requests';
import { waitUntilIdle } from '../operations/wait-until-idle';
import { type BenchCluster, startCluster } from './bench-cluster';
import { cpuMicroseconds } from '../cpu-time';

const connections = 64;
const accounts = 100;

/** The same load on one process, on services on Kafka, and with two replicas of operations and ledger. */
export const clusterBench: Bench = {
  name: 'cluster',
  title: `POST /operations, type issue, as one process and as services on Kafka, ${connections} connections (requests/s)`,
  run: async (context) => {
    context.progress('starting one process and two clusters');
    const allInOne = await startProduct();
    const single = await startCluster({});
    const doubled = await startCluster({ operations: 2, ledger: 2 });
    try {
      const products = [
        { name: 'all-in-one', product: allInOne },
        { name: 'cluster', product: single },
        { name: 'cluster, 2 operations, 2 ledger', product: doubled },
      ];
      const contestants: HttpContestant[] = [];
      for (const { name, product } of products) {
        const companies = await createCompanies(product, accounts);
        const drain = (): Promise<void> => waitUntilIdle(product.baseUrl, companies);
        contestants.push({ name, url: product.baseUrl, connections, next: issueRequests(companies), drain });
      }
      const rows = await compareServers(context, contestants, ['all-in-one', 'cluster']);
      context.progress('a single connection');
      const alone = contestants.map((one) => ({ ...one, name: `${one.name}, 1 connection`, connections: 1 }));
      const slow = await compareServers(context, alone, []);
      return [...rows, ...slow, ...(await profile(context, single, contestants[1]!))];
    } finally {
      await Promise.all([allInOne.stop(), single.stop(), doubled.stop()]);
    }
  },
};

/** CPU time per process, from the start of the load until all operations are finished. */
async function profile(context: BenchContext, cluster: BenchCluster, load: HttpContestant): Promise<BenchRow[]> {
  context.progress('CPU time per operation and process');
  const pids = cluster.processes();
  const before = pids.map(({ pid }) => cpuMicroseconds(pid));
  const { requests } = await sendAll({ ...load, durationMs: context.durationMs * 4 });
  await load.drain?.();
  return pids.map(({ name, pid }, index) => ({
    what: `${name}, CPU`,
    figures: { 'µs per operation': (cpuMicroseconds(pid) - before[index]!) / requests },
  }));
}
