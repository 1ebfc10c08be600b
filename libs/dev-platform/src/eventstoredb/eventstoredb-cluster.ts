import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, loopback } from '../network/free-port';
import { EventStoreDbServer, type EventStoreDbServerOptions } from './eventstoredb-server';

interface Member {
  readonly state: string;
  readonly isAlive: boolean;
  readonly httpEndPointPort: number;
}

const pollMs = 100;
const gossipTimeoutMs = 1_000;

/** Three nodes on loopback. A node replicates on its port plus 1,000. */
export class EventStoreDbCluster {
  private constructor(readonly nodes: readonly EventStoreDbServer[]) {}

  static async start({
    dataDirectory,
    serverOptions = [],
    ...options
  }: Omit<EventStoreDbServerOptions, 'port'>): Promise<EventStoreDbCluster> {
    const ports = [await freePort(), await freePort(), await freePort()];
    const starting = ports.map((port) => {
      const seeds = ports.filter((other) => other !== port).map((other) => `${loopback}:${other}`);
      const gossip = ['--cluster-size', '3', '--discover-via-dns', 'false', '--gossip-seed', seeds.join(',')];
      const own = { dataDirectory: join(dataDirectory, `${port}`), port, serverOptions: [...serverOptions, ...gossip] };
      return EventStoreDbServer.start({ ...options, ...own });
    });
    const started = await Promise.allSettled(starting);
    const nodes = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    if (nodes.length === ports.length) return new EventStoreDbCluster(nodes);
    await Promise.all(nodes.map((node) => node.kill()));
    throw started.find((result) => result.status === 'rejected')!.reason;
  }

  /** The connection string for clients. It names all nodes. */
  get url(): string {
    return `esdb://${this.nodes.map(({ port }) => `${loopback}:${port}`).join(',')}?tls=false`;
  }

  /** Waits until one is elected. */
  async leader(): Promise<EventStoreDbServer> {
    for (;;) {
      for (const { port } of this.nodes) {
        const leader = (await membersKnownTo(port)).find(({ state, isAlive }) => isAlive && state === 'Leader');
        if (leader !== undefined) return this.nodes.find((node) => node.port === leader.httpEndPointPort)!;
      }
      await delay(pollMs);
    }
  }

  async kill(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }
}

/** None if the node does not respond. */
async function membersKnownTo(port: number): Promise<readonly Member[]> {
  try {
    const signal = AbortSignal.timeout(gossipTimeoutMs);
    const response = await fetch(`http://${loopback}:${port}/gossip?format=json`, { signal });
    return ((await response.json()) as { members: Member[] }).members;
  } catch {
    return [];
  }
}
