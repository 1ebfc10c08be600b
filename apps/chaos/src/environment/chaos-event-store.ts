import {
  EventStoreDbCluster,
  EventStoreDbServer,
  eventStoreDbUrl,
  findEventStoreDb,
  freePort,
  TcpProxy,
} from '@florin/dev-platform';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStoreName } from '../faults/fault-kinds';

interface StoreParts {
  readonly url: string;
  readonly nodes: readonly EventStoreDbServer[];
  readonly leader: () => Promise<EventStoreDbServer>;
  readonly stop: () => Promise<void>;
  readonly proxy?: TcpProxy;
  /** Another server at the address of the only node, which must not be running. */
  readonly impostor?: (dataDirectory: string) => Promise<EventStoreDbServer>;
  readonly dataDirectory: string;
}

/** A real EventStoreDB that can fail: one node behind a proxy, or a cluster of three. */
export class ChaosEventStore {
  private constructor(private readonly parts: StoreParts) {}

  static async start(
    name: Exclude<EventStoreName, 'postgres'>,
    dataDirectory: string,
    log: (line: string) => void,
  ): Promise<ChaosEventStore> {
    const folder = join(dataDirectory, 'eventstoredb');
    mkdirSync(folder);
    const options = { command: commandIn(dataDirectory), log, detached: true };
    if (name === 'eventstoredb') return ChaosEventStore.startOne({ ...options, dataDirectory: folder });
    const cluster = await EventStoreDbCluster.start({ ...options, dataDirectory: folder });
    await cluster.leader();
    return new ChaosEventStore({
      ...{ url: cluster.url, nodes: cluster.nodes, dataDirectory: folder },
      ...{ leader: () => cluster.leader(), stop: () => cluster.kill() },
    });
  }

  private static async startOne(options: Parameters<typeof EventStoreDbServer.start>[0]): Promise<ChaosEventStore> {
    const port = await freePort();
    const server = await EventStoreDbServer.start({ ...options, port });
    const proxy = await TcpProxy.start({ listen: { port: 0 }, upstreams: () => [{ port }] });
    return new ChaosEventStore({
      ...{ url: eventStoreDbUrl(proxy.port), nodes: [server], proxy, dataDirectory: options.dataDirectory },
      leader: async () => server,
      impostor: (dataDirectory) => EventStoreDbServer.start({ ...options, port, dataDirectory }),
      stop: async () => {
        await proxy.close();
        await server.kill();
      },
    });
  }

  /** The address for the product. */
  get url(): string {
    return this.parts.url;
  }

  /** The connections of the product to the only node. */
  get proxy(): TcpProxy | undefined {
    return this.parts.proxy;
  }

  get dataDirectory(): string {
    return this.parts.dataDirectory;
  }

  /** The data of a node. */
  folderOf({ port }: EventStoreDbServer): string {
    return this.parts.nodes.length === 1 ? this.dataDirectory : join(this.dataDirectory, String(port));
  }

  leader(): Promise<EventStoreDbServer> {
    return this.parts.leader();
  }

  async follower(): Promise<EventStoreDbServer> {
    const leader = await this.leader();
    return this.parts.nodes.find((node) => node !== leader)!;
  }

  /** A server with other data at the address of the only node, which must not be running. */
  startImpostor(dataDirectory: string): Promise<EventStoreDbServer> {
    return this.parts.impostor!(dataDirectory);
  }

  stop(): Promise<void> {
    return this.parts.stop();
  }
}

/** Starts the server so that a write beyond the limit of a file's size fails, like on a full disk, and is no signal. */
function commandIn(dataDirectory: string): string {
  const command = findEventStoreDb(process.env)!;
  const file = join(dataDirectory, 'start-eventstoredb');
  writeFileSync(file, `#!/bin/sh\ntrap '' XFSZ\nexec '${command}' "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
