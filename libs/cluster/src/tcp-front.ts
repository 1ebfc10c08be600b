import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { loopback } from './free-port';

/**
 * The one address of all gateways. Each new connection goes to the next of the ports that are open to it at that moment,
 * or further on when that one refuses; once it stands it lives and ends with its gateway.
 */
export class TcpFront {
  private readonly sockets = new Set<Socket>();
  readonly port: number;
  private turn = 0;

  private constructor(
    private readonly server: Server,
    private readonly host: string,
    private readonly openPorts: () => readonly number[],
  ) {
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client) => void this.serve(client));
  }

  static async listen(host: string, port: number, openPorts: () => readonly number[]): Promise<TcpFront> {
    // A client may end its half and still wait for the answer; and not a byte is read before there is somebody to read it.
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
    server.listen(port, host);
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      throw new Error(`Port ${port} is taken on ${host}; choose another (--port or PORT), or end what listens there.`);
    });
    return new TcpFront(server, host, openPorts);
  }

  get url(): string {
    const host = this.host === '0.0.0.0' || this.host === '::' ? loopback : this.host;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }

  /** Takes no new connections; those that stand go on. */
  stopListening(): void {
    if (this.server.listening) this.server.close();
  }

  close(): void {
    this.stopListening();
    for (const socket of this.sockets) socket.destroy();
  }

  private async serve(client: Socket): Promise<void> {
    this.keep(client);
    const ports = this.openPorts();
    const first = this.turn++;
    for (let index = 0; index < ports.length && !client.destroyed; index++) {
      const gateway = await this.reach(ports[(first + index) % ports.length]!);
      if (gateway) return join(client, gateway);
    }
    client.destroy();
  }

  private async reach(port: number): Promise<Socket | undefined> {
    const gateway = connect({ port, host: loopback, allowHalfOpen: true, noDelay: true });
    this.keep(gateway);
    return once(gateway, 'connect').then(
      () => gateway,
      () => undefined,
    );
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    // Whoever breaks a connection is told by its end; there is nothing else to do about it.
    socket.on('error', () => socket.destroy());
  }
}

function join(client: Socket, gateway: Socket): void {
  pass(client, gateway);
  pass(gateway, client);
}

/** An end is passed on after all that came before it; a break at once. */
function pass(from: Socket, to: Socket): void {
  const end = (hadError: boolean): unknown => (hadError ? to.destroy() : to.destroySoon());
  if (from.destroyed) end(true);
  from.on('close', end);
  from.pipe(to);
}
