import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { findServerProblem } from './find-server-problem';

describe('findServerProblem', () => {
  const servers: (Server | TcpServer)[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));

  async function listen(server: Server | TcpServer): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  const replying = (status: number, body: unknown): Promise<number> =>
    listen(
      createServer((_, response) => {
        response.writeHead(status, { connection: 'close' }).end(JSON.stringify(body));
      }),
    );
  const plain = (...ports: readonly number[]): string =>
    `esdb://${ports.map((port) => `127.0.0.1:${port}`).join(',')}?tls=false`;
  const leader = { esVersion: '23.10.6.0', state: 'leader' };
  const none = 'is not an EventStoreDB or KurrentDB. Correct the host and the port.';

  it('accepts a leader, of KurrentDB as well', async () => {
    expect(await findServerProblem(plain(await replying(200, leader)))).toBeUndefined();
    expect(
      await findServerProblem(plain(await replying(200, { dbVersion: '25.0.0', state: 'leader' }))),
    ).toBeUndefined();
  });

  it('leaves a server that does not respond to those who wait for it', async () => {
    expect(await findServerProblem(plain(1))).toBeUndefined();
  });

  it.each([408, 429, 500, 503])(
    'leaves a server that is starting or busy, with status %i, to them as well',
    async (status) => {
      expect(await findServerProblem(plain(await replying(status, 'busy')))).toBeUndefined();
    },
  );

  it.each([
    ['another HTTP server', () => replying(404, {}), none],
    ['another HTTP server that finds the path', () => replying(200, { name: 'other' }), none],
    ['a server that does not speak HTTP', () => listen(createTcpServer((socket) => socket.end('+OK ready\r\n'))), none],
    [
      'a server that is too old',
      () => replying(200, { ...leader, esVersion: '21.10.1.0' }),
      'has the version 21.10.1.0. Florin needs EventStoreDB 22.6 or newer, or KurrentDB: upgrade it.',
    ],
    [
      'only a follower',
      () => replying(200, { ...leader, state: 'follower' }),
      'which is not the leader of its cluster. Name all nodes, as in',
    ],
    ['a server that requires a user', () => replying(401, {}), 'requires a user. Add it, as in esdb://user:password@'],
  ])('rejects %s', async (_name, start, problem) => {
    expect(await findServerProblem(plain(await start()))).toContain(problem);
  });

  it('rejects TLS to a server without it', async () => {
    const port = await replying(200, leader);
    expect(await findServerProblem(`esdb://127.0.0.1:${port}`)).toContain('does not use TLS. Add ?tls=false');
  });

  it('accepts a follower beside other nodes', async () => {
    const follower = await replying(200, { ...leader, state: 'follower' });
    expect(await findServerProblem(plain(follower, await replying(200, leader)))).toBeUndefined();
  });
});
