import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { loopback } from './free-port';

/** A TCP port, on loopback unless a host is given, or the path of a Unix socket. */
export type Endpoint = { readonly port: number; readonly host?: string } | { readonly path: string };

export interface TcpProxyOptions {
  /** Port 0 takes a free one. */
  readonly listen: Endpoint;
  /** The servers that new connections may go to. A connection without any is closed at once. */
  readonly upstreams: () => readonly Endpoint[];
}

/**
 * Forwards connections to one upstream after the other, and to the next one when an upstream refuses. It can also cut,
 * refuse and delay connections, to test how clients handle that.
 */
export class TcpProxy {
  private readonly sockets = new Set<Socket>();
  private readonly clients = new Set<Socket>();
  private next = 0;
  private delayMs = 0;
  private isRefusing = false;
  private address: ReturnType<Server['address']> = null;

  private constructor(
    private readonly server: Server,
    private readonly upstreams: () => readonly Endpoint[],
  ) {
    server.on('connection', (client) => void this.forward(client));
  }

  static async start({ listen, upstreams }: TcpProxyOptions): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const proxy = new TcpProxy(server, upstreams);
    server.listen(onLoopback(listen));
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || 'path' in listen) throw error;
      throw new Error(`Port ${listen.port} is already in use on ${listen.host ?? loopback}. Choose another port.`);
    });
    proxy.address = server.address();
    return proxy;
  }

  get port(): number {
    if (this.address === null || typeof this.address === 'string') throw new Error('This proxy listens on no port.');
    return this.address.port;
  }

  /** How many clients are connected. */
  get connections(): number {
    return this.clients.size;
  }

  /** Breaks every connection; accepts new ones as before. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Breaks every connection, and each new one, until `resume`. */
  refuse(): void {
    this.isRefusing = true;
    this.cut();
  }

  /** Delays all data in both directions until `resume`. */
  delay(milliseconds: number): void {
    this.delayMs = milliseconds;
  }

  resume(): void {
    this.isRefusing = false;
    this.delayMs = 0;
  }

  /** Accepts no new connections; existing ones continue. */
  stopListening(): void {
    if (this.server.listening) this.server.close();
  }

  async close(): Promise<void> {
    const closed = this.server.listening ? once(this.server, 'close') : undefined;
    this.stopListening();
    this.cut();
    await closed;
  }

  private async forward(client: Socket): Promise<void> {
    this.track(client);
    this.clients.add(client);
    client.on('close', () => this.clients.delete(client));
    const upstreams = this.isRefusing ? [] : this.upstreams();
    const first = this.next++;
    for (let index = 0; index < upstreams.length && !client.destroyed; index++) {
      const server = await this.reach(upstreams[(first + index) % upstreams.length]!);
      if (server) return this.join(client, server);
    }
    client.destroy();
  }

  private async reach(upstream: Endpoint): Promise<Socket | undefined> {
    const server = connect({ ...onLoopback(upstream), allowHalfOpen: true, noDelay: true });
    this.track(server);
    return once(server, 'connect').then(
      () => server,
      () => undefined,
    );
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  private join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      // A broken connection breaks the other side at once; an orderly end is passed on after all data.
      from.once('close', (hadError) => hadError && to.destroy());
      void this.carry(from, to).catch(() => to.destroy());
    }
  }

  /** Writes one chunk after the other and waits for the reader, so nothing is reordered and nothing piles up. */
  private async carry(from: Socket, to: Socket): Promise<void> {
    // The end of one direction is not the end of the other.
    const chunks: AsyncIterable<Buffer> = from.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      if (this.delayMs > 0) await delay(this.delayMs);
      if (to.destroyed) return;
      if (!to.write(chunk)) await drained(to);
    }
    to.end();
  }
}

function onLoopback(endpoint: Endpoint): Endpoint {
  return 'port' in endpoint ? { host: loopback, ...endpoint } : endpoint;
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}
