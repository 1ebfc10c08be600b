import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { TcpFront } from './tcp-front';

/** Says its name to whoever comes, and then repeats what it hears. */
class Gateway {
  readonly connections: Socket[] = [];
  private constructor(private readonly server: Server) {}

  static async start(name: string): Promise<Gateway> {
    const gateway = new Gateway(createServer({ allowHalfOpen: true }));
    gateway.server.on('connection', (socket) => {
      gateway.connections.push(socket);
      socket.on('error', () => undefined);
      socket.write(name);
      socket.pipe(socket);
    });
    gateway.server.listen(0, '127.0.0.1');
    await once(gateway.server, 'listening');
    return gateway;
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

describe('the front of the gateways', () => {
  let [a, b]: Gateway[] = [];
  let front: TcpFront;
  let open: number[];

  beforeEach(async () => {
    [a, b] = [await Gateway.start('a'), await Gateway.start('b')];
    open = [a.port, b.port];
    front = await TcpFront.listen('127.0.0.1', 0, () => open);
  });

  afterEach(async () => {
    front.close();
    await Promise.all([a!.stop(), b!.stop()]);
  });

  /** Sends something, ends its half, and takes all that comes back. */
  async function ask(message = ''): Promise<string> {
    const socket = connect(front.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end(message);
    return text(socket);
  }

  async function connectAndHear(): Promise<{ socket: Socket; name: string }> {
    const socket = connect(front.port, '127.0.0.1').on('error', () => undefined);
    const [name] = (await once(socket, 'data')) as [Buffer];
    return { socket, name: name.toString() };
  }

  it('sends connections to one gateway after the other', async () => {
    const answers: string[] = [];
    for (let index = 0; index < 4; index++) answers.push(await ask());
    expect(answers.sort()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('passes on everything, also what is large and what comes after the client has ended its half', async () => {
    open = [a!.port];
    const large = 'x'.repeat(5_000_000);
    expect(await ask(large)).toBe(`a${large}`);
  });

  it('sends nobody new to a gateway that drains, and lets those who are there go on', async () => {
    open = [a!.port];
    const { socket, name } = await connectAndHear();
    expect(name).toBe('a');
    open = [b!.port];
    expect([await ask(), await ask()]).toEqual(['b', 'b']);
    socket.end('still here');
    expect(await text(socket)).toBe('still here');
  });

  it('goes on to the next when a gateway refuses', async () => {
    await a!.stop();
    expect([await ask(), await ask(), await ask()]).toEqual(['b', 'b', 'b']);
  });

  it('ends the connections of a gateway that goes away', async () => {
    open = [a!.port];
    const { socket } = await connectAndHear();
    const closed = once(socket.resume(), 'close');
    a!.connections[0]!.resetAndDestroy();
    await closed;
  });

  it('tells a gateway of a client that went away', async () => {
    open = [a!.port];
    const { socket } = await connectAndHear();
    const closed = once(a!.connections[0]!, 'close');
    socket.resetAndDestroy();
    await closed;
  });

  it('closes a connection at once when there is no gateway', async () => {
    open = [];
    expect(await ask('hello')).toBe('');
  });

  it('lets what is under way end after it has stopped listening', async () => {
    const { socket } = await connectAndHear();
    front.stopListening();
    await expect(once(connect(front.port, '127.0.0.1'), 'connect')).rejects.toThrow();
    socket.end('bye');
    expect(await text(socket)).toBe('bye');
  });

  it('says what to do when its port is taken', async () => {
    const again = TcpFront.listen('127.0.0.1', front.port, () => []);
    await expect(again).rejects.toThrow(`Port ${front.port} is taken on 127.0.0.1; choose another`);
  });
});
