import { Cluster, type ClusterOptions } from '@florin/dev-platform';
import { temporaryDataDirectory } from '@florin/database';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProductProcess } from '../http/server-process';

export interface BenchCluster extends ProductProcess {
  /** Its services, broker and database server. */
  processes(): readonly { readonly name: string; readonly pid: number }[];
}

/** A cluster as `npm run cluster` starts it, with its own Kafka and Postgres and without rate limits. */
export async function startCluster(replicas: ClusterOptions['replicas']): Promise<BenchCluster> {
  const dataDirectory = temporaryDataDirectory('florin-bench-');
  const env = { RATE_LIMIT_SANDBOX: '0', RATE_LIMIT_LIVE: '0', LOG_LEVEL: 'warn' };
  const cluster = await Cluster.start({ dataDirectory, env, ...(replicas && { replicas }) });
  const file = readFileSync(join(dataDirectory, 'credentials.json'), 'utf8');
  const { operatorToken } = JSON.parse(file) as { operatorToken: string };
  const processes = (): { name: string; pid: number }[] =>
    [...cluster.services, ...cluster.backingServices].flatMap(({ name, pid }) =>
      pid === undefined ? [] : [{ name, pid }],
    );
  // Bypasses the TCP proxy, which would share a thread with the load generator.
  const gateway = cluster.services.find(({ service }) => service === 'gateway');
  return {
    baseUrl: gateway?.url ?? cluster.baseUrl,
    pid: process.pid,
    operatorToken,
    processes,
    stop: async () => {
      await cluster.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
