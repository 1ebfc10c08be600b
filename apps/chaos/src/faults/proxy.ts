import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A port on loopback, or the path of a Unix socket. */
export type Endpoint = { readonly port: number } | { readonly path: string };

export interface ProxyOptions {
  /** Port 0 takes a free one. */
  readonly listen: Endpoint;
  readonly upstream: Endpoint;
}

/** Stands between a server and its clients, and does to their connections what networks do. */
export class ChaosProxy {
  private readonly pairs = new Set<() => void>();
  private delayMs = 0;
  private refusing = false;

  private constructor(
    private readonly server: Server,
    private readonly upstream: Endpoint,
  ) {}

  static async start({ listen, upstream }: ProxyOptions): Promise<ChaosProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const proxy = new ChaosProxy(server, upstream);
    server.on('connection', (client) => proxy.join(client));
    server.listen('port' in listen ? { port: listen.port, host: '127.0.0.1' } : listen);
    await once(server, 'listening');
    return proxy;
  }

  /** Where clients connect, when it is a port. */
  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('This proxy listens on no port.');
    return address.port;
  }

  /** Breaks every connection, whatever is under way; new ones are taken as before. */
  cut(): void {
    for (const end of this.pairs) end();
  }

  /** Breaks every connection, and each new one as soon as it is made. */
  refuse(): void {
    this.refusing = true;
    this.cut();
  }

  /** From now on everything takes so much longer, each way. */
  delay(milliseconds: number): void {
    this.delayMs = milliseconds;
  }

  /** Takes back whatever was done. */
  resume(): void {
    this.refusing = false;
    this.delayMs = 0;
  }

  async close(): Promise<void> {
    this.cut();
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  private join(client: Socket): void {
    // Whoever is broken off may complain, and nobody has to hear it.
    client.on('error', () => undefined);
    if (this.refusing) return void client.destroy();
    const server = connect({
      ...('port' in this.upstream ? { ...this.upstream, host: '127.0.0.1' } : this.upstream),
      allowHalfOpen: true,
      noDelay: true,
    });
    server.on('error', () => undefined);
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    this.pairs.add(end);
    // Whatever one side said last still gets to the other.
    client.once('close', () => server.destroySoon());
    server.once('close', () => client.destroySoon());
    client.once('close', () => this.pairs.delete(end));
    server.once('connect', () => {
      void this.carry(client, server).catch(end);
      void this.carry(server, client).catch(end);
    });
  }

  /** One piece after the other, so that nothing overtakes and nothing piles up here. */
  private async carry(from: Socket, to: Socket): Promise<void> {
    // The end of what one side says is not the end of what it hears.
    const pieces: AsyncIterable<Buffer> = from.iterator({ destroyOnReturn: false });
    for await (const piece of pieces) {
      if (this.delayMs > 0) await delay(this.delayMs);
      if (to.destroyed) return;
      if (!to.write(piece)) await untilDrained(to);
    }
    to.end();
  }
}

function untilDrained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}
