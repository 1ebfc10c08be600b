import type { EventStore, Progress } from '@florin/event-sourcing';
import type { FastifyInstance } from 'fastify';
import { performance } from 'node:perf_hooks';
import type { Metrics } from './metrics';

interface FollowedLog {
  readonly store: Pick<EventStore, 'head'>;
  readonly progress: Pick<Progress, 'known'>;
}

/** What every service tells of itself. All of it is known anyway but the end of the log, which is one query a look. */
export function measureService(metrics: Metrics, server: FastifyInstance, log: FollowedLog): void {
  measureProcess(metrics);
  measureRequests(metrics, server);
  measureSubscriptions(metrics, log);
}

function measureProcess(metrics: Metrics): void {
  metrics.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory that the process has in use',
    read: () => process.memoryUsage.rss(),
  });
  metrics.series({
    kind: 'counter',
    name: 'process_cpu_seconds_total',
    help: 'CPU time of all threads of the process',
    read: () => {
      const { user, system } = process.cpuUsage();
      return [{ value: (user + system) / 1_000_000 }];
    },
  });
  metrics.series({
    kind: 'counter',
    name: 'florin_event_loop_busy_seconds_total',
    help: 'Time in which the main thread was at work; near one second a second it is the bottleneck',
    read: () => [{ value: performance.eventLoopUtilization().active / 1_000 }],
  });
}

/** A request costs one entry of a map; routes, methods and statuses are few. */
function measureRequests(metrics: Metrics, server: FastifyInstance): void {
  const counts = new Map<string, number>();
  server.addHook('onResponse', (request, reply, done) => {
    const key = `${request.method} ${reply.statusCode} ${request.routeOptions.url ?? 'unknown'}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    done();
  });
  metrics.series({
    kind: 'counter',
    name: 'florin_http_requests_total',
    help: 'Requests that were answered',
    read: () =>
      [...counts].map(([key, value]) => {
        const [method = '', status = '', route = ''] = key.split(' ');
        return { value, labels: { method, route, status } };
      }),
  });
}

function measureSubscriptions(metrics: Metrics, { store, progress }: FollowedLog): void {
  metrics.gauge({
    name: 'florin_log_head_position',
    help: 'The position of the last event in the log',
    read: async () => Number(await store.head()),
  });
  metrics.series({
    kind: 'gauge',
    name: 'florin_subscription_position',
    help: 'How far a subscription has dealt with the log, for each shard that this process holds',
    read: () =>
      progress.known().map(({ subscription, shard, position }) => ({
        value: Number(position),
        labels: { subscription, shard: String(shard) },
      })),
  });
}
