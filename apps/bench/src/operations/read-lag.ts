import { performance } from 'node:perf_hooks';
import type { BenchCompany } from '../http/bench-companies';
import { type Load, type LoadResult, sendAll } from '../http/http-load';
import { quantile } from '../measure';
import { issueRequests } from './issue-requests';

export interface Lag {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const intervalMs = 50;

/**
 * During the load, one more client periodically orders a card and reads the operation right after the response. The
 * product serves that read only once the read model has caught up, so its duration is the lag.
 */
export async function readLag(load: Load, company: BenchCompany): Promise<{ accepted: LoadResult; lag: Lag }> {
  const samples: number[] = [];
  let isOver = false;
  const sampling = (async () => {
    for (let count = 0; !isOver; count++) {
      samples.push(await sample(load.url, company, count));
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  })();
  const accepted = await sendAll(load).finally(() => (isOver = true));
  await sampling;
  samples.sort((a, b) => a - b);
  return { accepted, lag: { p50Ms: quantile(samples, 0.5), p99Ms: quantile(samples, 0.99) } };
}

async function sample(url: string, company: BenchCompany, count: number): Promise<number> {
  const { path, key, body } = issueRequests([company])(0);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const posted = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': `lag-${performance.now()}-${count}` },
    body,
  });
  if (posted.status !== 201) throw new Error(`POST ${path} returned ${posted.status}: ${await posted.text()}`);
  const { id } = (await posted.json()) as { id: string };
  const begin = performance.now();
  const read = await fetch(`${url}${path}/${id}`, { headers });
  if (read.status !== 200) throw new Error(`GET ${path}/${id} returned ${read.status}: ${await read.text()}`);
  await read.arrayBuffer();
  return performance.now() - begin;
}
