import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const loopback = '127.0.0.1';

/**
 * The address that clients know. Behind it the gRPC server can go and come back, and between the two a connection can be
 * cut as a broken network cuts it: without a word of either side.
 */
export class TcpFront {
  private readonly sockets = new Set<Socket>();
  private readonly clients = new Set<Socket>();
  private target: number | undefined;

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.passOn(socket));
  }

  static async listen(port: number): Promise<TcpFront> {
    const server = createServer();
    const front = new TcpFront(server);
    server.listen(port, loopback);
    await once(server, 'listening');
    return front;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many connections clients have here. */
  get connections(): number {
    return this.clients.size;
  }

  /** From now on connections go there; without a target they are closed at once. */
  leadTo(target: number | undefined): void {
    this.target = target;
  }

  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.leadTo(undefined);
    this.cutAll();
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }

  private passOn(client: Socket): void {
    if (this.target === undefined) {
      client.destroy();
      return;
    }
    this.clients.add(client);
    client.on('close', () => this.clients.delete(client));
    const upstream = connect(this.target, loopback);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
