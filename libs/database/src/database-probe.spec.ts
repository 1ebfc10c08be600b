import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseProbe } from './database-probe';
import { testServer } from './testing';

const timeoutMs = 1_000;
/** A server on a Unix socket has a port only in the name of the socket. */
const defaultPort = 5432;

jest.setTimeout(60_000);

/** Forwards connections to the test server, or accepts them and stays silent. */
describe('DatabaseProbe', () => {
  let proxy: Server;
  let isSilent = false;
  let probe: DatabaseProbe;
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    const { host, port = defaultPort } = testServer();
    isSilent = false;
    proxy = createServer((client) => {
      const server = connect(join(host!, `.s.PGSQL.${port}`));
      for (const socket of [client, server]) {
        sockets.add(socket);
        // A proxy that cannot reach the server must not seem silent.
        socket.on('error', () => [client, server].forEach((each) => each.destroy()));
      }
      client.on('data', (data) => void (isSilent || server.write(data)));
      server.on('data', (data) => void (isSilent || client.write(data)));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = { host: '127.0.0.1', port: (proxy.address() as AddressInfo).port };
    probe = new DatabaseProbe({ ...testServer(), ...address }, timeoutMs);
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await probe.close();
    proxy.close();
  });

  it('rejects with a timeout while the server is silent, and succeeds when it responds again', async () => {
    await probe.check();
    isSilent = true;
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(probe.check()).rejects.toThrow(/timeout/i);
    }
    isSilent = false;
    await probe.check();
  });
});
