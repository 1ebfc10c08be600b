import type { Bench, BenchRow } from '../bench';
import { createCompanies } from '../http/bench-companies';
import { sendAll } from '../http/http-load';
import { startProduct } from '../http/server-process';
import { median } from '../measure';
import { undisturbed } from '../stolen-time';
import { issueRequests } from '../operations/issue-requests';
import { waitUntilIdle } from '../operations/wait-until-idle';

const connections = 64;
const accounts = 100;
const partsOfLoad = [0.1, 0.3, 0.6];

/** Response times at loads that leave room, as in normal operation. */
export const latencyBench: Bench = {
  name: 'latency',
  title: `POST /operations, type issue: response times at a part of the full load, ${connections} connections`,
  run: async (context) => {
    const product = await startProduct();
    try {
      const companies = await createCompanies(product, accounts);
      const load = {
        url: product.baseUrl,
        connections,
        durationMs: context.durationMs * 4,
        next: issueRequests(companies),
      };
      const drain = (): Promise<void> => waitUntilIdle(product.baseUrl, companies);
      await sendAll(load);
      await drain();
      const full = await sendAll(load);
      await drain();
      const rows: BenchRow[] = [
        {
          what: 'full load',
          figures: { 'requests/s': full.requestsPerSecond, 'p50 ms': full.p50Ms, 'p99 ms': full.p99Ms },
        },
      ];
      for (const part of partsOfLoad) {
        const name = `${part * 100} % of it`;
        const results = [];
        for (let round = 0; round < context.rounds; round++) {
          const result = await undisturbed(async () => {
            const sent = await sendAll({ ...load, requestsPerSecond: full.requestsPerSecond * part });
            await drain();
            return sent;
          });
          context.progress(`${name}: p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms`);
          results.push(result);
        }
        rows.push({
          what: name,
          figures: {
            'requests/s': median(results.map(({ requestsPerSecond }) => requestsPerSecond)),
            'p50 ms': median(results.map(({ p50Ms }) => p50Ms)),
            'p99 ms': median(results.map(({ p99Ms }) => p99Ms)),
          },
        });
      }
      return rows;
    } finally {
      await product.stop();
    }
  },
};
