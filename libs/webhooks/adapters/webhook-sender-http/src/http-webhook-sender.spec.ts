import { manualClock } from '@florin/kernel/testing';
import type { SendResult, WebhookRequest } from '@florin/webhooks-application';
import { type ResponseName, Receiver, selfSigned } from '@florin/webhooks-application/testing';
import { HttpWebhookSender, type HttpWebhookSenderOptions } from './http-webhook-sender.adapter';

const clock = manualClock('2030-01-31T23:00:00.000Z');
const body = Buffer.from('{"id":"evt_1","name":"Käthe"}');

describe('HttpWebhookSender', () => {
  let receiver: Receiver;
  const senders: HttpWebhookSender[] = [];
  const senderWith = (options: Partial<HttpWebhookSenderOptions> = {}): HttpWebhookSender => {
    const sender = new HttpWebhookSender({ clock, allowLoopback: true, ...options });
    senders.push(sender);
    return sender;
  };

  beforeAll(async () => {
    receiver = await Receiver.start();
  });
  beforeEach(() => {
    receiver.received.length = 0;
  });
  afterEach(async () => {
    for (const sender of senders.splice(0)) await sender.close();
  });
  afterAll(() => receiver.close());

  const requestTo = (url: string): WebhookRequest => ({
    url,
    environment: 'sandbox',
    headers: { 'Content-Type': 'application/json', 'Webhook-Id': 'evt_1', 'Service-Signature': 't=1,v1=ab' },
    body,
  });
  const send = (name: ResponseName, sender = senderWith()): Promise<SendResult> =>
    sender.send(requestTo(receiver.url(name)));

  it('posts the given bytes and headers and treats any 2xx as an acknowledgement', async () => {
    expect(await send('ok')).toEqual({
      outcome: 'acknowledged',
      statusCode: 200,
      excerpt: 'status 200',
      durationMs: expect.any(Number) as number,
    });
    expect(await send('accepted')).toMatchObject({ outcome: 'acknowledged', statusCode: 202 });
    expect(receiver.received[0]).toMatchObject({
      body: body.toString(),
      headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1', 'service-signature': 't=1,v1=ab' },
    });
  });

  it('keeps the query of the URL and reuses connections', async () => {
    const sender = senderWith();
    const before = receiver.connections;
    for (let count = 0; count < 20; count++) await sender.send(requestTo(`${receiver.url('ok/a')}?key=1#part`));
    expect(receiver.received.map(({ path }) => path)).toEqual(Array(20).fill('/ok/a?key=1'));
    expect(receiver.connections - before).toBe(1);
  });

  it.each<[ResponseName, Partial<SendResult>]>([
    ['wrong', { outcome: 'refused', statusCode: 500, error: 'the response was HTTP 500', excerpt: 'status 500' }],
    ['gone', { outcome: 'refused', statusCode: 410 }],
    ['busy', { outcome: 'refused', statusCode: 429, retryAfterMs: 7_200_000 }],
    ['down', { outcome: 'refused', statusCode: 503, retryAfterMs: 3_600_000 }],
    ['reset', { outcome: 'unreachable', error: 'the connection failed (ECONNRESET)' }],
    ['close', { outcome: 'unreachable', error: 'the connection failed (UND_ERR_SOCKET)' }],
    ['breakOff', { outcome: 'unreachable', statusCode: 200, excerpt: 'half' }],
    ['notHttp', { outcome: 'unreachable' }],
    ['binary', { outcome: 'refused', excerpt: '\ufffd\ufffdA' }],
    ['chatty', { outcome: 'refused', excerpt: 'ä'.repeat(512) }],
  ])('returns the result of the response %s', async (name, result) => {
    expect(await send(name)).toMatchObject(result);
    expect(receiver.received).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    const internal = await Receiver.start();
    receiver.instead.set('/redirect', 'redirect');
    expect(await send('redirect')).toMatchObject({
      outcome: 'refused',
      statusCode: 301,
      error: 'the response was HTTP 301, and redirects are not followed',
    });
    expect(internal.connections).toBe(0);
    await internal.close();
  });

  it.each<ResponseName>(['hang', 'drip', 'dripHeaders'])('times out for the response %s', async (name) => {
    const result = await send(name, senderWith({ timeoutMs: 150 }));
    expect(result).toMatchObject({ outcome: 'unreachable', error: 'there was no complete response within 0.15 s' });
  });

  it('reads only the beginning of an endless response and closes the connection', async () => {
    const sender = senderWith();
    const brokenOff = receiver.untilAborted();
    const result = await send('endless', sender);
    expect(result).toMatchObject({ outcome: 'acknowledged', statusCode: 200 });
    expect(result.excerpt).toBe('x'.repeat(1024));
    // Sockets and streams on both sides buffer a few megabytes at most; the response has ten gigabytes.
    expect(await brokenOff).toBeLessThan(64 * 1024 ** 2);
    expect(await send('ok', sender)).toMatchObject({ outcome: 'acknowledged' });
  });

  it('is not delayed by hanging requests to the same host', async () => {
    const sender = senderWith({ timeoutMs: 60_000 });
    const stop = new AbortController();
    const hanging = Array.from({ length: 50 }, () => sender.send(requestTo(receiver.url('hang')), stop.signal));
    await receiver.untilReceived(50);
    expect(await send('ok', sender)).toMatchObject({ outcome: 'acknowledged' });
    stop.abort();
    for (const result of await Promise.all(hanging)) {
      expect(result).toMatchObject({ outcome: 'unreachable', error: 'Florin stopped before there was a response' });
    }
  });

  it('reports a refused connection and a name without an address', async () => {
    const closed = await Receiver.start();
    const url = closed.url('ok');
    await closed.close();
    expect(await senderWith().send(requestTo(url))).toMatchObject({
      outcome: 'unreachable',
      error: 'the connection failed (ECONNREFUSED)',
    });
    const nameless = senderWith({ resolve: async () => [] });
    expect(await nameless.send(requestTo('http://unknown.example.com/'))).toMatchObject({
      outcome: 'unreachable',
      error: 'the host has no address (ENOTFOUND)',
    });
  });

  it('times out when the name is not resolved and sends nothing afterwards', async () => {
    let resolved = (_: string[]): void => undefined;
    const resolve = () => new Promise<string[]>((done) => (resolved = done));
    const sender = senderWith({ resolve, timeoutMs: 100 });
    const url = `http://hooks.example.com:${receiver.port}/ok`;
    expect(await sender.send(requestTo(url))).toMatchObject({ outcome: 'unreachable' });
    resolved(['127.0.0.1']);
    expect(await send('ok', sender)).toMatchObject({ outcome: 'acknowledged' });
    expect(receiver.received).toHaveLength(1);
  });

  it('rejects an untrusted certificate', async () => {
    const secure = await Receiver.start('https');
    expect(await senderWith().send(requestTo(secure.url('ok')))).toMatchObject({
      outcome: 'unreachable',
      error: 'the connection could not be secured (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    const trusting = senderWith({ ca: selfSigned.cert });
    const otherName = secure.url('ok').replace('localhost', 'www.localhost');
    expect(await trusting.send(requestTo(otherName))).toMatchObject({
      outcome: 'unreachable',
      error: 'the connection could not be secured (ERR_TLS_CERT_ALTNAME_INVALID)',
    });
    expect(secure.received).toEqual([]);
    expect(await trusting.send(requestTo(secure.url('ok')))).toMatchObject({ outcome: 'acknowledged' });
    const plain = receiver.url('ok').replace('http:', 'https:');
    expect(await trusting.send(requestTo(plain))).toMatchObject({ outcome: 'unreachable' });
    await secure.close();
  });
});
