import type { Bench, BenchContext, BenchRow } from '../bench';
import { median, medians } from '../measure';
import { type LoadResult, postFundings } from './load';
import { type ProductProcess, startEmptyPost, startProduct } from './server-process';

const connections = 64;
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
      return await measure(context, product.baseUrl, empty.baseUrl, keys);
    } finally {
      await Promise.all([product.stop(), empty.stop()]);
    }
  },
};

async function measure(
  context: BenchContext,
  product: string,
  empty: string,
  keys: readonly string[],
): Promise<BenchRow[]> {
  const { durationMs, rounds } = context;
  const latencies = new Map<string, LoadResult[]>();
  const contestant = (name: string, url: string, used: readonly string[]) => async (): Promise<number> => {
    const result = await postFundings({ url, connections, durationMs, keys: used });
    latencies.set(name, [...(latencies.get(name) ?? []), result]);
    context.progress(`${name}: ${Math.round(result.requestsPerSecond)}/s`);
    return result.requestsPerSecond;
  };
  const rates = await medians(
    {
      'empty POST': contestant('empty POST', empty, keys),
      'funding, one account': contestant('funding, one account', product, keys.slice(0, 1)),
      'funding, many accounts': contestant('funding, many accounts', product, keys),
    },
    rounds,
  );
  return Object.entries(rates).map(([what, rate]) => ({
    what,
    figures: {
      'requests/s': rate,
      'ratio to empty POST': rate / rates['empty POST'],
      'p50 ms': median(latencies.get(what)!.map(({ p50Ms }) => p50Ms)),
      'p99 ms': median(latencies.get(what)!.map(({ p99Ms }) => p99Ms)),
    },
  }));
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
