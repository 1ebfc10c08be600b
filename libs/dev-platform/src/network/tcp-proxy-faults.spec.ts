import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Endpoint, TcpProxy } from './tcp-proxy';

const folder = mkdtempSync(join(tmpdir(), 'florin-proxy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const kinds: readonly [string, () => readonly [Endpoint, Endpoint]][] = [
  ['ports', () => [{ port: 0 }, { port: 0 }]],
  ['Unix sockets', () => [{ path: join(folder, 'server') }, { path: join(folder, 'proxy') }]],
];

describe.each(kinds)('a TCP proxy between %s', (_, endpoints) => {
  let server: Server;
  let accepted: Socket[];
  let proxy: TcpProxy;
  let open: () => Promise<Socket>;

  beforeEach(async () => {
    const [own, listen] = endpoints();
    accepted = [];
    // An echo server.
    server = createServer({ allowHalfOpen: true }, (socket) => {
      accepted.push(socket.on('error', () => undefined));
      socket.pipe(socket);
    });
    server.listen('port' in own ? { ...own, host: '127.0.0.1' } : own);
    await once(server, 'listening');
    const address = server.address();
    const upstream = typeof address === 'string' ? { path: address } : { port: address!.port };
    proxy = await TcpProxy.start({ listen, upstreams: () => [upstream] });
    open = async () => {
      const socket = connect('path' in listen ? listen : { port: proxy.port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
  });

  afterEach(async () => {
    await proxy.close();
    for (const socket of accepted) socket.destroy();
    server.close();
  });

  async function echoOf(socket: Socket, text: string): Promise<string> {
    socket.write(text);
    const [piece] = (await once(socket, 'data')) as [Buffer];
    return piece.toString();
  }

  it('forwards every byte in both directions', async () => {
    const socket = await open();
    const sent = Buffer.alloc(3_000_000, 'florin');
    socket.end(sent);
    const received: Buffer[] = [];
    for await (const piece of socket as AsyncIterable<Buffer>) received.push(piece);
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });

  it('cuts every connection and accepts new ones', async () => {
    const sockets = [await open(), await open()];
    for (const socket of sockets) expect(await echoOf(socket, 'one')).toBe('one');
    const ends = sockets.map((socket) => once(socket, 'close'));
    const others = accepted.map((socket) => once(socket, 'close'));
    proxy.cut();
    await Promise.all([...ends, ...others]);
    expect(await echoOf(await open(), 'two')).toBe('two');
  });

  it('refuses until it is resumed', async () => {
    const before = await open();
    expect(await echoOf(before, 'one')).toBe('one');
    const closed = once(before, 'close');
    proxy.refuse();
    await closed;
    const refused = await open();
    await once(refused.resume(), 'close');
    expect(accepted).toHaveLength(1);
    proxy.resume();
    expect(await echoOf(await open(), 'two')).toBe('two');
  });

  it('delays both directions and keeps the order', async () => {
    const socket = await open();
    proxy.delay(60);
    const begun = performance.now();
    expect(await echoOf(socket, 'slow')).toBe('slow');
    expect(performance.now() - begun).toBeGreaterThanOrEqual(115);
    socket.write('a');
    socket.write('b');
    proxy.resume();
    socket.end('c');
    let text = '';
    for await (const piece of socket as AsyncIterable<Buffer>) text += piece.toString();
    expect(text).toBe('abc');
  });

  it('closes a connection when the upstream does not listen', async () => {
    server.close();
    await once(server, 'close');
    const socket = await open();
    await once(socket.resume(), 'close');
    expect(accepted).toEqual([]);
  });
});
