import { startTemporaryProduct } from '@florin/dev-platform';
import { Pool } from 'undici';
import type { Bench, BenchContext, BenchRow } from '../bench';
import { createCompanies } from '../http/bench-companies';
import { quantile } from '../measure';
import { StolenTime } from '../stolen-time';
import { AbusiveTenant } from './abusive-tenant';
import { politeLoad, type PoliteResult } from './polite-load';
import { Tenant } from './tenant';
import { WebhookReceiver } from './webhook-receiver';

const politeTenants = 9;
/** At most this many times as long as without the abusive tenant. */
const goal = 2;
const phasesPerDuration = 5;
/** A 99th percentile needs hundreds of requests of each kind. */
const minRequests = 500;
/** So many times the rounds, until there are enough requests. */
const maxRoundsFactor = 4;

/** What one tenant inside its rate limit costs the others. */
export const neighboursBench: Bench = {
  name: 'neighbours',
  title: `p99 of ${politeTenants} polite tenants (ms) without and with an abusive one; the goal is a ratio of at most ${goal}`,
  run: async (context) => {
    const receiver = await WebhookReceiver.start();
    const stolenTime = new StolenTime();
    const product = await startTemporaryProduct({ PATH: process.env['PATH'], WEBHOOK_ALLOW_LOOPBACK: 'true' });
    let abuser: AbusiveTenant | undefined;
    const server = new Pool(product.baseUrl, { connections: 64, pipelining: 1 });
    try {
      const [abusive, ...others] = await createCompanies(product, politeTenants + 1);
      const polite = others.map(({ key, holderId }) => new Tenant(server, key, holderId));
      for (const tenant of polite) await tenant.createEndpoint(`${receiver.url}/polite`);
      const abuserOptions = { ...abusive!, baseUrl: product.baseUrl, receiverUrl: receiver.url };
      abuser = await AbusiveTenant.start(abuserOptions, context.progress);
      const measure = () => politeLoad(polite, receiver, stolenTime, context.durationMs * phasesPerDuration);
      await measure();
      const rows: BenchRow[] = [];
      for (const pattern of abuser.patterns) rows.push(await compare(context, abuser, pattern, measure));
      return rows;
    } finally {
      await abuser?.stop();
      await server.destroy();
      await product.stop();
      receiver.stop();
      stolenTime.stop();
    }
  },
};

const metrics = ['reads', 'writes', 'webhooks'] as const;
type Metric = (typeof metrics)[number];

/**
 * The phases alternate, because other load on the machine changes over time. A percentile is that of all rounds together. There are
 * more rounds if the host disturbs too many requests.
 */
async function compare(
  { rounds, progress }: BenchContext,
  abuser: AbusiveTenant,
  pattern: string,
  measure: () => Promise<PoliteResult>,
): Promise<BenchRow> {
  const alone: PoliteResult[] = [];
  const beside: PoliteResult[] = [];
  let attacks = 0;
  const hasEnough = () =>
    metrics.every((metric) => [alone, beside].every((all) => countOf(all, metric) >= minRequests));
  for (let round = 0; round < rounds || (round < rounds * maxRoundsFactor && !hasEnough()); round++) {
    alone.push(await measure());
    abuser.begin(pattern);
    beside.push(await measure());
    attacks += await abuser.end();
  }
  const ratio = (metric: Metric): number => p99(beside, metric) / p99(alone, metric);
  const figures = {
    'read alone': p99(alone, 'reads'),
    'read ratio': ratio('reads'),
    'write alone': p99(alone, 'writes'),
    'write ratio': ratio('writes'),
    'webhook alone': p99(alone, 'webhooks'),
    'webhook ratio': ratio('webhooks'),
    attacks,
    failures: [...alone, ...beside].reduce((sum, { failures }) => sum + failures, 0),
    'requests alone': countOf(alone, 'reads') + countOf(alone, 'writes'),
    'requests beside': countOf(beside, 'reads') + countOf(beside, 'writes'),
    'disturbed by the host': [...alone, ...beside].reduce((sum, { disturbed }) => sum + disturbed, 0),
  };
  progress(`${pattern}: ${JSON.stringify(figures)}`);
  return { what: pattern, figures };
}

function countOf(results: readonly PoliteResult[], metric: Metric): number {
  return results.reduce((sum, result) => sum + result[metric].length, 0);
}

function p99(results: readonly PoliteResult[], metric: Metric): number {
  const durations = results.flatMap((result) => result[metric]);
  return quantile(
    durations.sort((a, b) => a - b),
    0.99,
  );
}
