import type { Bench, BenchContext, BenchRow } from '../bench';
import { median } from '../measure';
import { type LoadResult, postFundings } from './load';
import { type ProductProcess, startEmptyPost, startProduct } from './server-process';

const connections = 128;
const manyAccounts = 50;

/** What a client gets: HTTP, authenticated, validated, decided, durable, with the projections running all the while. */
export const fundingBench: Bench = {
  name: 'funding',
  title: `POST /sandbox/funding end to end, ${connections} connections (requests/s), against an empty Nest+Fastify POST`,
  run: async (context) => {
    const [product, empty] = await Promise.all([startProduct(), startEmptyPost()]);
    try {
      const keys = await createKeys(product, manyAccounts);
      context.progress('one account and many, in turns with the empty POST');
      return await measure(context, [
        { name: 'empty POST', url: empty.baseUrl, keys },
        { name: 'funding, one account', url: product.baseUrl, keys: keys.slice(0, 1) },
        { name: 'funding, many accounts', url: product.baseUrl, keys },
      ]);
    } finally {
      await Promise.all([product.stop(), empty.stop()]);
    }
  },
};

interface Contestant {
  readonly name: string;
  readonly url: string;
  readonly keys: readonly string[];
}

/**
 * Every round measures all of them one right after the other and compares within the round, because what else the
 * machine does changes from minute to minute. A first round only warms up.
 */
async function measure(context: BenchContext, contestants: readonly [empty: Contestant, ...others: Contestant[]]) {
  const { durationMs } = context;
  const rounds: Map<string, LoadResult>[] = [];
  for (let round = 0; round <= context.rounds * 2; round++) {
    const results = new Map<string, LoadResult>();
    for (const { name, url, keys } of contestants) {
      results.set(name, await postFundings({ url, connections, durationMs, keys }));
    }
    context.progress(
      [...results].map(([name, { requestsPerSecond }]) => `${name} ${Math.round(requestsPerSecond)}/s`).join(', '),
    );
    if (round > 0) rounds.push(results);
  }
  const empty = contestants[0].name;
  return contestants.map(({ name }): BenchRow => {
    const of = (figure: (result: LoadResult) => number): number =>
      median(rounds.map((round) => figure(round.get(name)!)));
    const ratios = rounds.map((round) => round.get(name)!.requestsPerSecond / round.get(empty)!.requestsPerSecond);
    return {
      what: name,
      figures: {
        'requests/s': of(({ requestsPerSecond }) => requestsPerSecond),
        'ratio to empty POST': median(ratios),
        'p50 ms': of(({ p50Ms }) => p50Ms),
        'p99 ms': of(({ p99Ms }) => p99Ms),
      },
    };
  });
}

async function createKeys({ baseUrl, operatorToken }: ProductProcess, count: number): Promise<string[]> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${baseUrl}/operator/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const keys: string[] = [];
  for (let index = 0; index < count; index++) {
    const { id } = await post('/companies', { name: `Bench ${index}`, kind: 'corporate' });
    await post(`/companies/${id}/verification`, { status: 'approved' });
    const { key } = await post(`/companies/${id}/keys`, {
      name: 'bench',
      environment: 'sandbox',
      scopes: ['cards:write'],
    });
    keys.push(key!);
  }
  return keys;
}
