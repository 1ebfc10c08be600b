import { createHook } from 'node:async_hooks';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { isIpAddress, systemClock } from '@florin/kernel';
import { forbiddenHosts, forbiddenUrls, Receiver } from '@florin/webhooks-application/testing';
import { checkUrl } from '@florin/webhooks-domain';
import { ForbiddenAddress, guardedConnector, type ResolveAddresses } from './guarded-connector';
import { HttpWebhookSender } from './http-webhook-sender.adapter';

/** What this process asks the system for: every attempt to connect, secured or not, and every question for a name. */
const asked: string[] = [];
const watch = createHook({
  init: (_, type) => {
    if (['TCPCONNECTWRAP', 'GETADDRINFOREQWRAP', 'QUERYWRAP'].includes(type)) asked.push(type);
  },
});
const neverAsked: ResolveAddresses = (name) => Promise.reject(new Error(`nobody may ask for ${name}`));

const requestTo = (url: string, environment: 'sandbox' | 'live' = 'live') => ({
  url,
  environment,
  headers: {},
  body: Buffer.from('{}'),
});

describe('the egress guard', () => {
  /** On every address of this machine, so that whatever leads here is seen. */
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
    asked.length = 0;
  });
  afterAll(async () => {
    watch.disable();
    await new Promise((resolve) => listener.close(resolve));
  });

  it('sends nothing to any of more than 150 forbidden addresses, and tries not even to connect', async () => {
    const urls = forbiddenUrls(port);
    expect(new Set(urls).size).toBeGreaterThan(150);
    expect(urls.filter((url) => checkUrl(url, { environment: 'live', allowLoopback: true }) === undefined)).toEqual([]);
    const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true, resolve: neverAsked });
    const results = await Promise.all(urls.map((url) => sender.send(requestTo(url))));
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['forbidden']));
    expect([asked, connections]).toEqual([[], 0]);
    await sender.close();
  });

  it('refuses the same when it connects, whoever has let the address pass before', async () => {
    const rules = { environment: 'live', allowLoopback: true, timeoutMs: 1_000 } as const;
    const hosts = forbiddenHosts.flatMap((host) => {
      const hostname = URL.canParse(`https://${host}`)
        ? new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, '')
        : '';
      return isIpAddress(hostname) ? [hostname] : [];
    });
    expect(hosts.length).toBeGreaterThan(100);
    const literal = guardedConnector({ ...rules, resolve: neverAsked });
    const errors = await Promise.all(hosts.map((host) => connectTo(literal, host)));
    expect(errors.filter((error) => !(error instanceof ForbiddenAddress))).toEqual([]);
    expect([asked, connections]).toEqual([[], 0]);
    const resolved = hosts.map((host) => guardedConnector({ ...rules, resolve: async () => [host] }));
    const refusals = await Promise.all(resolved.map((connect) => connectTo(connect, 'hooks.example.com')));
    expect(refusals.filter((error) => !(error instanceof ForbiddenAddress))).toEqual([]);
    expect([asked, connections]).toEqual([[], 0]);
  });

  const connectTo = (connect: ReturnType<typeof guardedConnector>, hostname: string): Promise<Error | null> =>
    new Promise((resolve) => {
      connect({ hostname, host: hostname, protocol: 'http:', port: `${port}` }, (error, socket) => {
        socket?.destroy();
        resolve(error);
      });
    });

  it('does not connect where one of several addresses of a name is private', async () => {
    const resolve: ResolveAddresses = async () => ['93.184.215.14', '127.0.0.1'];
    const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true, resolve });
    expect(await sender.send(requestTo(`https://hooks.example.com:${port}/`))).toMatchObject({
      outcome: 'forbidden',
      error: 'the host does not lead to a public address',
    });
    expect(connections).toBe(0);
    await sender.close();
  });

  it('asks once for each connection and uses no other answer, so that a name that changes its mind gains nothing', async () => {
    const receiver = await Receiver.start();
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
    const names: string[] = [];
    const resolve: ResolveAddresses = async (name) => {
      names.push(name);
      return answers[names.length - 1]!;
    };
    const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true, resolve });
    const url = (answer: string): string => `http://rebinding.example.com:${receiver.port}/${answer}`;
    // Each of the first and the third ends its connection, so that the next has to ask anew.
    const results = [];
    for (const answer of ['close', 'ok', 'ok']) results.push(await sender.send(requestTo(url(answer), 'sandbox')));
    expect(results.map(({ outcome }) => outcome)).toEqual(['unreachable', 'forbidden', 'acknowledged']);
    expect(names).toHaveLength(3);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/close', '/ok']);
    await Promise.all([sender.close(), receiver.close()]);
  });

  it('refuses in live what it was right to connect to in the sandbox, though the name is the same', async () => {
    const receiver = await Receiver.start('https');
    const resolve: ResolveAddresses = async () => ['127.0.0.1'];
    const sender = new HttpWebhookSender({ clock: systemClock, allowLoopback: true, resolve });
    const url = `https://hooks.example.com:${receiver.port}/ok`;
    expect(await sender.send(requestTo(url, 'sandbox'))).toMatchObject({ outcome: 'unreachable' });
    // This suite does see secured connections, so that seeing none elsewhere means something.
    expect([asked, receiver.connections]).toEqual([['TCPCONNECTWRAP'], 1]);
    expect(await sender.send(requestTo(url))).toMatchObject({ outcome: 'forbidden' });
    expect(receiver.connections).toBe(1);
    await Promise.all([sender.close(), receiver.close()]);
  });
});
