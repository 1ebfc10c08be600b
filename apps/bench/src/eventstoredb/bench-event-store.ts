import { temporaryDataDirectory } from '@florin/database';
import { EventStoreDbServer, findEventStoreDb } from '@florin/dev-platform';
import { rmSync } from 'node:fs';

export interface BenchEventStore {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Whether there is a command that starts one. */
export function hasEventStoreDb(): boolean {
  return findEventStoreDb(process.env) !== undefined;
}

/** A real server in a temporary folder, with its default settings: an append is durable when it is acknowledged. */
export async function startBenchEventStore(): Promise<BenchEventStore> {
  const dataDirectory = temporaryDataDirectory('florin-bench-eventstoredb-');
  const server = await EventStoreDbServer.start({ command: findEventStoreDb(process.env)!, dataDirectory });
  return {
    url: server.url,
    pid: server.pid,
    stop: async () => {
      await server.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
