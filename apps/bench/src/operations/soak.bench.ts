import { readFileSync } from 'node:fs';
import type { Bench, BenchRow } from '../bench';
import { createCompanies } from '../http/bench-companies';
import { postAll } from '../http/http-load';
import { startProduct } from '../http/server-process';
import { median } from '../measure';
import { issueRequests } from './issue-requests';

const connections = 64;
const minutes = 5;
const everyMs = 1_000;

/** Whether the product's memory stays flat under five minutes of full load. */
export const soakBench: Bench = {
  name: 'soak',
  title: `Memory of the product over ${minutes} minutes of POST /operations, ${connections} connections`,
  run: async (context) => {
    const product = await startProduct();
    const mebibytes: number[] = [];
    const watching = setInterval(() => mebibytes.push(residentMebibytes(product.pid)), everyMs);
    try {
      const next = issueRequests(await createCompanies(product, 100));
      const rows: BenchRow[] = [];
      for (let minute = 1; minute <= minutes; minute++) {
        const { requestsPerSecond } = await postAll({ url: product.baseUrl, connections, durationMs: 60_000, next });
        const resident = median(mebibytes.splice(0));
        context.progress(`minute ${minute}: ${Math.round(requestsPerSecond)}/s, ${Math.round(resident)} MiB`);
        rows.push({ what: `minute ${minute}`, figures: { 'requests/s': requestsPerSecond, 'resident MiB': resident } });
      }
      return rows;
    } finally {
      clearInterval(watching);
      await product.stop();
    }
  },
};

function residentMebibytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) / 1_024;
}
