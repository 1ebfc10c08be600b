import { createHook } from 'node:async_hooks';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { isIpAddress, systemClock } from '@florin/kernel';
import { forbiddenHosts, forbiddenUrls, Receiver } from '@florin/webhooks-application/testing';
import { checkUrl } from '@florin/webhooks-domain';
import { ForbiddenAddress, guardedConnector, type ResolveAddresses } from './guarded-connector';
import { HttpWebhookSender } from './http-webhook-sender.adapter';

/** All connection attempts and DNS queries of this process. */
const observed: string[] = [];
const watch = createHook({
  init: (_, type) => {
    if (['TCPCONNECTWRAP', 'GETADDRINFOREQWRAP', 'QUERYWRAP'].includes(type)) observed.push(type);
  },
});
const neverResolve: ResolveAddresses = (name) => Promise.reject(new Error(`unexpected DNS query for ${name}`));

const requestTo = (url: string, environment: 'sandbox' | 'live' = 'live') => ({
  url,
  environment,
  headers: {},
  body: Buffer.from('{}'),
});

describe('the egress guard', () => {
  /** Listens on all addresses of this machine, so that every connection to it is seen. */
  let listener: Server;
  let connections = 0;
  let port: number;

  beforeAll(async () => {
    watch.enable();
    listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, resolve));
    port = (listener.address() as AddressInfo).port;
  });
  beforeEach(() => {
    observed.length = 0;
  });
  afterAll(async () => {
    watch.disable();
    await new Promise((resolve) => listener.close(resolve));
  });

  it('never connects to any of more than 150 forbidden URLs', async () => {
    const urls = forbiddenUrls(port);
    expect(new Set(urls).size).toBeGreaterThan(150);
    expect(urls.filter((url) => checkUrl(url, { environment: 'live', allowLoopback: true }) === undefined)).toEqual([]);
    const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true, resolve: neverResolve });
    const results = await Promise.all(urls.map((url) => sender.send(requestTo(url))));
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['forbidden']));
    expect([observed, connections]).toEqual([[], 0]);
    await sender.close();
  });

  it('rejects the same addresses again when it connects', async () => {
    const rules = { environment: 'live', allowLoopback: true, timeoutMs: 1_000 } as const;
    const hosts = forbiddenHosts.flatMap((host) => {
      const hostname = URL.canParse(`https://${host}`)
        ? new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, '')
        : '';
      return isIpAddress(hostname) ? [hostname] : [];
    });
    expect(hosts.length).toBeGreaterThan(100);
    const literal = guardedConnector({ ...rules, resolve: neverResolve });
    const errors = await Promise.all(hosts.map((host) => connectTo(literal, host)));
    expect(errors.filter((error) => !(error instanceof ForbiddenAddress))).toEqual([]);
    expect([observed, connections]).toEqual([[], 0]);
    const resolved = hosts.map((host) => guardedConnector({ ...rules, resolve: async () => [host] }));
    const refusals = await Promise.all(resolved.map((connect) => connectTo(connect, 'hooks.example.com')));
    expect(refusals.filter((error) => !(error instanceof ForbiddenAddress))).toEqual([]);
    expect([observed, connections]).toEqual([[], 0]);
  });

  const connectTo = (connect: ReturnType<typeof guardedConnector>, hostname: string): Promise<Error | null> =>
    new Promise((resolve) => {
      connect({ hostname, host: hostname, protocol: 'http:', port: `${port}` }, (error, socket) => {
        socket?.destroy();
        resolve(error);
      });
    });

  it('does not connect when one of several addresses of a name is private', async () => {
    const resolve: ResolveAddresses = async () => ['93.184.215.14', '127.0.0.1'];
    const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true, resolve });
    expect(await sender.send(requestTo(`https://hooks.example.com:${port}/`))).toMatchObject({
      outcome: 'forbidden',
      error: 'the host does not lead to a public address',
    });
    expect(connections).toBe(0);
    await sender.close();
  });

  it('resolves a name once per connection, which prevents DNS rebinding', async () => {
    const receiver = await Receiver.start();
    const addresses = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
    const names: string[] = [];
    const resolve: ResolveAddresses = async (name) => {
      names.push(name);
      return addresses[names.length - 1]!;
    };
    const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true, resolve });
    const url = (path: string): string => `http://rebinding.example.com:${receiver.port}/${path}`;
    // The first request closes its connection, so that the next one resolves the name again.
    const results = [];
    for (const path of ['close', 'ok', 'ok']) results.push(await sender.send(requestTo(url(path), 'sandbox')));
    expect(results.map(({ outcome }) => outcome)).toEqual(['unreachable', 'forbidden', 'acknowledged']);
    expect(names).toHaveLength(3);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/close', '/ok']);
    await Promise.all([sender.close(), receiver.close()]);
  });

  it('rejects in live a name that it connects to in the sandbox', async () => {
    const receiver = await Receiver.start('https');
    const resolve: ResolveAddresses = async () => ['127.0.0.1'];
    const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true, resolve });
    const url = `https://hooks.example.com:${receiver.port}/ok`;
    expect(await sender.send(requestTo(url, 'sandbox'))).toMatchObject({ outcome: 'unreachable' });
    // This suite detects TLS connections, so that detecting none elsewhere is conclusive.
    expect([observed, receiver.connections]).toEqual([['TCPCONNECTWRAP'], 1]);
    expect(await sender.send(requestTo(url))).toMatchObject({ outcome: 'forbidden' });
    expect(receiver.connections).toBe(1);
    await Promise.all([sender.close(), receiver.close()]);
  });
});
