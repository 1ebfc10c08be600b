import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { TcpProxy } from './tcp-proxy';

/** Sends its name to each client, and then echoes what it receives. */
class Upstream {
  readonly connections: Socket[] = [];
  private constructor(private readonly server: Server) {}

  static async start(name: string): Promise<Upstream> {
    const upstream = new Upstream(createServer({ allowHalfOpen: true }));
    upstream.server.on('connection', (socket) => {
      upstream.connections.push(socket);
      socket.on('error', () => undefined);
      socket.write(name);
      socket.pipe(socket);
    });
    upstream.server.listen(0, '127.0.0.1');
    await once(upstream.server, 'listening');
    return upstream;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.connections) socket.destroy();
    await closed;
  }
}

describe('a TCP proxy in front of several upstreams', () => {
  let [a, b]: Upstream[] = [];
  let proxy: TcpProxy;
  let upstreams: { port: number }[];

  beforeEach(async () => {
    [a, b] = [await Upstream.start('a'), await Upstream.start('b')];
    upstreams = [a, b].map(({ port }) => ({ port }));
    proxy = await TcpProxy.start({ listen: { port: 0 }, upstreams: () => upstreams });
  });

  afterEach(async () => {
    await proxy.close();
    await Promise.all([a!.stop(), b!.stop()]);
  });

  /** Sends a message, ends its half, and returns everything that comes back. */
  async function request(message = ''): Promise<string> {
    const socket = connect(proxy.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end(message);
    return text(socket);
  }

  async function openConnection(): Promise<{ socket: Socket; name: string }> {
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
    const [name] = (await once(socket, 'data')) as [Buffer];
    return { socket, name: name.toString() };
  }

  it('sends connections to one upstream after the other', async () => {
    const names: string[] = [];
    for (let index = 0; index < 4; index++) names.push(await request());
    expect(names.sort()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('forwards large messages, and the reply after the client has ended its half', async () => {
    upstreams = [{ port: a!.port }];
    const large = 'x'.repeat(5_000_000);
    expect(await request(large)).toBe(`a${large}`);
  });

  it('sends no new connection to a removed upstream, and keeps its existing ones', async () => {
    upstreams = [{ port: a!.port }];
    const { socket, name } = await openConnection();
    expect(name).toBe('a');
    upstreams = [{ port: b!.port }];
    expect([await request(), await request()]).toEqual(['b', 'b']);
    socket.end('still here');
    expect(await text(socket)).toBe('still here');
  });

  it('tries the next upstream when one refuses', async () => {
    await a!.stop();
    expect([await request(), await request(), await request()]).toEqual(['b', 'b', 'b']);
  });

  it('closes the client connection when the upstream breaks it', async () => {
    upstreams = [{ port: a!.port }];
    const { socket } = await openConnection();
    const closed = once(socket.resume(), 'close');
    a!.connections[0]!.resetAndDestroy();
    await closed;
  });

  it('closes the upstream connection when the client breaks it', async () => {
    upstreams = [{ port: a!.port }];
    const { socket } = await openConnection();
    expect(proxy.connections).toBe(1);
    const closed = once(a!.connections[0]!, 'close');
    socket.resetAndDestroy();
    await closed;
    expect(proxy.connections).toBe(0);
  });

  it('closes a connection at once when there is no upstream', async () => {
    upstreams = [];
    expect(await request('hello')).toBe('');
  });

  it('keeps existing connections after it has stopped listening', async () => {
    const { socket } = await openConnection();
    const { port } = proxy;
    proxy.stopListening();
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow();
    socket.end('bye');
    expect(await text(socket)).toBe('bye');
  });

  it('names the port when it is already in use', async () => {
    const again = TcpProxy.start({ listen: { port: proxy.port }, upstreams: () => [] });
    await expect(again).rejects.toThrow(`Port ${proxy.port} is already in use on 127.0.0.1. Choose another port.`);
  });
});
