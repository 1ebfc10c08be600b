import type { EventStore, Progress } from '@florin/event-sourcing';
import type { ReadDatabase } from '@florin/read-models';
import type { FastifyInstance } from 'fastify';
import { performance } from 'node:perf_hooks';
import type { Metrics } from './metrics';

interface FollowedLog {
  readonly store: Pick<EventStore, 'head'>;
  readonly progress: Pick<Progress, 'known'>;
  readonly rejections: ReadonlyMap<string, number>;
  /** Absent in a service that does not serve the API. */
  readonly reads?: Pick<ReadDatabase, 'statistics'> | undefined;
}

/** The metrics of every service. A scrape costs one query, for the end of the log. */
export function measureService(metrics: Metrics, server: FastifyInstance, log: FollowedLog): void {
  measureProcess(metrics);
  measureRequests(metrics, server);
  measureSubscriptions(metrics, log);
  measureRejections(metrics, log);
  if (log.reads !== undefined) measureReads(metrics, log.reads);
}

function measureProcess(metrics: Metrics): void {
  metrics.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the process',
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
    help: 'Time in which the event loop of the main thread was busy; close to 1 s per second it is the bottleneck',
    read: () => [{ value: performance.eventLoopUtilization().active / 1_000 }],
  });
}

/** A request costs one map update; the number of routes, methods and statuses is small. */
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
    help: 'HTTP requests by method, route and status',
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
    help: 'Position up to which a subscription has processed the log, for each shard that this process holds',
    read: () =>
      progress.known().map(({ subscription, shard, position }) => ({
        value: Number(position),
        labels: { subscription, shard: String(shard) },
      })),
  });
  metrics.series({
    kind: 'gauge',
    name: 'florin_set_aside_streams',
    help: 'Streams that a subscription skips because this release cannot read an event, for each shard that this process holds',
    read: () =>
      progress.known().map(({ subscription, shard, setAside }) => ({
        value: setAside,
        labels: { subscription, shard: String(shard) },
      })),
  });
}

function measureRejections(metrics: Metrics, { rejections }: FollowedLog): void {
  metrics.series({
    kind: 'counter',
    name: 'florin_bus_rejections_total',
    help: 'Commands and replies on the bus that were rejected because they could not be trusted, by reason',
    read: () => [...rejections].map(([reason, value]) => ({ value, labels: { reason } })),
  });
}

function measureReads(metrics: Metrics, reads: Pick<ReadDatabase, 'statistics'>): void {
  metrics.gauge({
    name: 'florin_read_connections_in_use',
    help: 'Reads of the API that run now, each on one database connection',
    read: () => reads.statistics.inUse,
  });
  metrics.gauge({
    name: 'florin_reads_waiting',
    help: 'Reads of the API that wait for a database connection',
    read: () => reads.statistics.waiting,
  });
  metrics.series({
    kind: 'counter',
    name: 'florin_read_timeouts_total',
    help: 'Reads of the API that were canceled after READ_TIMEOUT_SECONDS',
    read: () => [{ value: reads.statistics.timeouts }],
  });
  metrics.series({
    kind: 'counter',
    name: 'florin_read_rejections_total',
    help: 'Reads of the API that were rejected because READ_QUEUE_SIZE reads of their company waited already',
    read: () => [{ value: reads.statistics.rejections }],
  });
}
