import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EventStoreDbServer, type EventStoreDbServerOptions } from '../eventstoredb/eventstoredb-server';
import { findEventStoreDb } from '../eventstoredb/find-eventstoredb';
import { freePort, loopback } from '../network/free-port';

/** The timeout for the start of a server on a busy machine. */
export const EVENTSTOREDB_TIMEOUT_MS = 120_000;

/** `describe` for suites that start a real EventStoreDB. Skips them where there is no command to start one. */
export function describeWithEventStoreDb(name: string, define: () => void): void {
  if (findEventStoreDb(process.env) !== undefined) return describe(name, define);
  process.stderr.write(
    `Skipped "${name}": no EventStoreDB found. Set EVENTSTOREDB_RUN to a command that starts one (docs/CLUSTER.md).\n`,
  );
  describe.skip(name, define);
}

/** A server on a free port, with a data folder that `remove` deletes. */
export async function startTestEventStoreDb(
  ...serverOptions: readonly string[]
): Promise<{ readonly server: EventStoreDbServer; remove(): Promise<void> }> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'florin-eventstoredb-'));
  const options: EventStoreDbServerOptions = { command: findEventStoreDb(process.env)!, dataDirectory, serverOptions };
  const server = await EventStoreDbServer.start(options);
  return {
    server,
    remove: async () => {
      await server.kill();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

export interface TestEventStoreDbCluster {
  /** Names all nodes. */
  readonly url: string;
  readonly nodes: readonly EventStoreDbServer[];
  /** Waits until one is elected. */
  leader(): Promise<EventStoreDbServer>;
  remove(): Promise<void>;
}

/** Three nodes. A node replicates on its port plus 1,000. */
export async function startTestEventStoreDbCluster(): Promise<TestEventStoreDbCluster> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'florin-eventstoredb-'));
  const ports = [await freePort(), await freePort(), await freePort()];
  const nodes = await Promise.all(
    ports.map((port) => {
      const seeds = ports.filter((other) => other !== port).map((other) => `${loopback}:${other}`);
      const serverOptions = ['--cluster-size', '3', '--discover-via-dns', 'false', '--gossip-seed', seeds.join(',')];
      const command = findEventStoreDb(process.env)!;
      return EventStoreDbServer.start({ command, dataDirectory: join(dataDirectory, `${port}`), port, serverOptions });
    }),
  );
  return {
    url: `esdb://${ports.map((port) => `${loopback}:${port}`).join(',')}?tls=false`,
    nodes,
    leader: async () => {
      for (;;) {
        const response = await fetch(`http://${loopback}:${ports[0]}/gossip?format=json`);
        const { members } = (await response.json()) as { members: { state: string; httpEndPointPort: number }[] };
        const leader = members.find(({ state }) => state === 'Leader');
        if (leader !== undefined) return nodes[ports.indexOf(leader.httpEndPointPort)]!;
        await delay(100);
      }
    },
    remove: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}
