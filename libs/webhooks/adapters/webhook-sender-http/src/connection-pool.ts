import { LRUCache } from 'lru-cache';
import { Client } from 'undici';

/** Idle clients close their connections soon, so many can be kept. */
const maxOrigins = 2_000;

/**
 * Keep-alive connections by origin, each for one request at a time. The connection used last is reused first, so that
 * unused ones time out. Undici's `Pool` searches all of its connections for each request, and its `Agent` discards a
 * whole pool whenever an endpoint fails.
 */
export class ConnectionPool {
  private readonly idle = new LRUCache<string, Client[]>({
    max: maxOrigins,
    dispose: (clients) => clients.forEach((client) => this.discard(client)),
  });
  private readonly all = new Set<Client>();

  constructor(private readonly options: Client.Options) {}

  acquire(origin: string): Client {
    const idle = this.idle.get(origin)?.pop();
    if (idle) return idle;
    const client = new Client(origin, this.options);
    this.all.add(client);
    return client;
  }

  /** Returns a connection after a complete response. */
  release(origin: string, client: Client): void {
    const clients = this.idle.get(origin);
    if (clients) clients.push(client);
    else this.idle.set(origin, [client]);
  }

  /** Closes a connection after any other outcome. */
  discard(client: Client): void {
    this.all.delete(client);
    void client.destroy();
  }

  async close(): Promise<void> {
    await Promise.all([...this.all].map((client) => client.destroy()));
    this.all.clear();
    this.idle.clear();
  }
}
