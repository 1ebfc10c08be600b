import { readFileSync } from 'node:fs';
import type { Bench, BenchRow } from '../bench';
import { createCompanies } from '../http/bench-companies';
import { sendAll } from '../http/http-load';
import { startProduct } from '../http/server-process';
import { median } from '../measure';
import { issueRequests } from './issue-requests';
import { waitUntilIdle } from './wait-until-idle';

const connections = 64;
const minutes = 5;
const sampleIntervalMs = 1_000;

/**
 * Memory of the product at half of the burst rate, where operations complete as fast as they are accepted, and at full
 * load, where admission control delays requests.
 */
export const soakBench: Bench = {
  name: 'soak',
  title: `Memory of the product over ${minutes} minutes each of half and full load of POST /operations, ${connections} connections`,
  run: async (context) => {
    const product = await startProduct();
    const mebibytes: number[] = [];
    const sampling = setInterval(() => mebibytes.push(residentMebibytes(product.pid)), sampleIntervalMs);
    try {
      const companies = await createCompanies(product, 100);
      const load = { url: product.baseUrl, connections, durationMs: 60_000, next: issueRequests(companies) };
      const soak = async (what: string, requestsPerSecond?: number): Promise<BenchRow[]> => {
        mebibytes.length = 0;
        const rows: BenchRow[] = [];
        for (let minute = 1; minute <= minutes; minute++) {
          const accepted = await sendAll({ ...load, requestsPerSecond });
          const figures = { 'requests/s': accepted.requestsPerSecond, 'resident MiB': median(mebibytes.splice(0)) };
          context.progress(`${what}, minute ${minute}: ${Object.values(figures).map(Math.round).join('/s, ')} MiB`);
          rows.push({ what: `${what}, minute ${minute}`, figures });
        }
        return rows;
      };
      const warmUp = await sendAll({ ...load, durationMs: 20_000 });
      await waitUntilIdle(product.baseUrl, companies);
      const half = await soak('half load', warmUp.requestsPerSecond / 2);
      return [...half, ...(await soak('full load'))];
    } finally {
      clearInterval(sampling);
      await product.stop();
    }
  },
};

function residentMebibytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) / 1_024;
}
