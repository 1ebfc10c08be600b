import { Progress } from '@florin/event-sourcing';
import fastify, { type FastifyInstance } from 'fastify';
import { Metrics } from './metrics';
import { measureService } from './service-metrics';

let server: FastifyInstance;
let metrics: Metrics;
let progress: Progress;
let head: () => Promise<bigint>;

beforeEach(() => {
  server = fastify();
  metrics = new Metrics('florin');
  progress = new Progress();
  head = async () => 9n;
  const rejections = new Map([['stale', 2]]);
  const reads = { statistics: { inUse: 3, waiting: 7, timeouts: 1, rejections: 2 } };
  measureService(metrics, server, { store: { head: () => head() }, progress, rejections, reads });
  server.get('/cards/:id', async (_request, reply) => reply.code(204).send());
});

afterEach(() => server.close());

/** The labels and value of each line of this name. */
async function valuesOf(name: string): Promise<readonly string[]> {
  const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return lines.map((line) => line.slice(name.length).replace(/,?otel_scope_\w+="[^"]*"/g, ''));
}

describe('The metrics of a service', () => {
  it('include memory and CPU of the process', async () => {
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total']) {
      expect(await valuesOf(name)).toEqual([expect.stringMatching(/^\{\} [1-9.\d]+$/)]);
    }
    expect(await valuesOf('florin_event_loop_busy_seconds_total')).toHaveLength(1);
  });

  it('count requests by method, route and status, and requests to unknown paths together', async () => {
    for (const url of ['/cards/1', '/cards/2', '/a', '/b', '/c']) await server.inject({ url });
    expect(await valuesOf('florin_http_requests_total')).toEqual([
      '{method="GET",route="/cards/:id",status="204"} 2',
      '{method="GET",route="unknown",status="404"} 3',
    ]);
    await server.inject({ url: '/cards/3' });
    expect((await valuesOf('florin_http_requests_total'))[0]).toMatch(/ 3$/);
  });

  it('show the position of subscriptions and the end of the log', async () => {
    progress.report('operations', 0, 2, 7n);
    progress.report('operations', 1, 2, 9n);
    expect(await valuesOf('florin_log_head_position')).toEqual(['{} 9']);
    expect(await valuesOf('florin_subscription_position')).toEqual([
      '{subscription="operations",shard="0"} 7',
      '{subscription="operations",shard="1"} 9',
    ]);
    progress.forget('operations', 0);
    expect(await valuesOf('florin_subscription_position')).toHaveLength(1);
  });

  it('show the reads that run and wait, and count those that were canceled and rejected', async () => {
    expect(await valuesOf('florin_read_connections_in_use')).toEqual(['{} 3']);
    expect(await valuesOf('florin_reads_waiting')).toEqual(['{} 7']);
    expect(await valuesOf('florin_read_timeouts_total')).toEqual(['{} 1']);
    expect(await valuesOf('florin_read_rejections_total')).toEqual(['{} 2']);
  });

  it('leave out the end of the log while the store is unavailable', async () => {
    expect(await valuesOf('florin_log_head_position')).toHaveLength(1);
    head = () => Promise.reject(new Error('connection refused'));
    expect(await valuesOf('florin_log_head_position')).toEqual([]);
    expect(await valuesOf('process_resident_memory_bytes')).toHaveLength(1);
  });
});
