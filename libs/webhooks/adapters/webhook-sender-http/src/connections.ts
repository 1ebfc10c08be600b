import { Client } from 'undici';

/** Idle clients hold no connection for long, so many may be kept; what is beyond is forgotten, the longest unused first. */
const mostOrigins = 2_000;

/**
 * Connections that are kept alive, by origin, each for one request at a time. The one that was used last is used next: it
 * costs nothing to find, and those that are not needed any more end by themselves. Undici's own `Pool` looks through all
 * of its connections for each request, and its `Agent` throws a pool away whenever an endpoint fails.
 */
export class Connections {
  private readonly idle = new Map<string, Client[]>();
  private readonly all = new Set<Client>();

  constructor(private readonly options: Client.Options) {}

  take(origin: string): Client {
    const known = this.idle.get(origin)?.pop();
    if (known) return known;
    const client = new Client(origin, this.options);
    this.all.add(client);
    return client;
  }

  /** After a whole answer. */
  giveBack(origin: string, client: Client): void {
    const stack = this.idle.get(origin) ?? [];
    stack.push(client);
    if (stack.length > 1) return;
    this.idle.delete(origin);
    this.idle.set(origin, stack);
    if (this.idle.size > mostOrigins) this.forgetOldest();
  }

  /** After anything else: what has let us down is not used again. */
  discard(client: Client): void {
    this.all.delete(client);
    void client.destroy();
  }

  async close(): Promise<void> {
    this.idle.clear();
    await Promise.all([...this.all].map((client) => client.destroy()));
    this.all.clear();
  }

  private forgetOldest(): void {
    for (const [origin, stack] of this.idle) {
      this.idle.delete(origin);
      return stack.forEach((client) => this.discard(client));
    }
  }
}
