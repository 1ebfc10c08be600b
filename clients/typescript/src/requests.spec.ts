import { inspect } from 'node:util';
import { ApiError, Florin, type FlorinOptions } from './index';
import { errorReply, TestServer } from './testing/test-server';

const apiKey = 'fl_test_secret-of-this-spec';
let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());

const connect = (options: Partial<FlorinOptions> = {}) =>
  new Florin({ apiKey, baseUrl: server.url, retryDelayMs: 1, ...options });

const caught = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('A request', () => {
  it('sends the key, the body and a random Idempotency-Key', async () => {
    server.follow({ status: 201, body: { amount: '5.00' } });
    const florin = connect();
    expect(await florin.sandbox.fund({ amount: '5' })).toEqual({ amount: '5.00' });
    await florin.sandbox.fund({ amount: '5' });
    const [first, second] = server.requests;
    expect(first).toMatchObject({ method: 'POST', url: '/api/v1/sandbox/funding', body: '{"amount":"5"}' });
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' });
    expect(first?.headers['idempotency-key']).toMatch(/^sdk-[0-9a-f]{32}$/);
    expect(second?.headers['idempotency-key']).not.toBe(first?.headers['idempotency-key']);
  });

  it('sends the given Idempotency-Key and request id', async () => {
    server.follow({ status: 201 });
    await connect().sandbox.fund({ amount: '5' }, { idempotencyKey: 'order-4711', requestId: 'req-4711' });
    expect(server.requests[0]?.headers).toMatchObject({ 'idempotency-key': 'order-4711', 'x-request-id': 'req-4711' });
  });

  it('sends no Idempotency-Key and no content type with a GET', async () => {
    server.follow({});
    await connect().balance.get();
    expect(server.requests[0]?.headers).not.toHaveProperty('idempotency-key');
    expect(server.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  it('encodes ids and filters', async () => {
    server.follow({ body: { data: [] } });
    const florin = connect();
    await florin.cards.get('../holders?x=1');
    await florin.operations.list({ status: 'failed', metadata: { 'order no': '47&11' }, cardId: undefined });
    expect(server.requests.map(({ url }) => decodeURIComponent(url))).toEqual([
      '/api/v1/cards/../holders?x=1',
      '/api/v1/operations?limit=100&status=failed&metadata[order+no]=47&11',
    ]);
    expect(server.requests[0]?.url).toBe('/api/v1/cards/..%2Fholders%3Fx%3D1');
    expect(server.requests[1]?.url).toContain('=47%2611');
  });

  it('is not sent with an empty id, which would be another path', async () => {
    server.follow({});
    expect(await caught(connect().cards.get(''))).toMatchObject({ name: 'ConfigurationError' });
    expect(server.requests).toEqual([]);
  });

  it('returns status, headers and request id on request', async () => {
    server.follow({ status: 201, headers: { 'x-request-id': 'req-9', 'idempotent-replayed': 'true' }, body: { a: 1 } });
    const response = await connect().sandbox.fund({ amount: '5' }).withResponse();
    expect(response).toMatchObject({ data: { a: 1 }, status: 201, requestId: 'req-9', replayed: true });
  });

  it('returns a statement as CSV', async () => {
    server.follow({ headers: { 'content-type': 'text/csv' }, text: 'id,amount\n' });
    const csv = await connect().statements.getCsv({ from: '2030-01-01', to: '2030-01-31' });
    expect(csv).toBe('id,amount\n');
    expect(server.requests[0]).toMatchObject({
      url: '/api/v1/account-statements?from=2030-01-01&to=2030-01-31',
      headers: { accept: 'text/csv' },
    });
  });

  it('returns nothing for 204', async () => {
    server.follow({ status: 204 });
    expect(await connect().webhookEndpoints.delete('w1')).toBeUndefined();
    expect(server.requests[0]).toMatchObject({ method: 'DELETE', url: '/api/v1/webhook-endpoints/w1' });
  });
});

describe('An error', () => {
  it('has the code, the message, the request id and the request', async () => {
    server.follow(errorReply(409, 'quote_changed'));
    const error = await caught(connect().sandbox.fund({ amount: '5' }, { idempotencyKey: 'order-1' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'ApiError',
      code: 'quote_changed',
      status: 409,
      message: 'It is quote_changed: do something.',
      requestId: 'req-1',
      request: { method: 'POST', path: '/api/v1/sandbox/funding', idempotencyKey: 'order-1', attempts: 1 },
    });
    expect(ApiError.is(error, 'insufficient_funds', 'quote_changed')).toBe(true);
    expect(ApiError.is(error, 'insufficient_funds')).toBe(false);
    expect(ApiError.is(new Error('quote_changed'), 'quote_changed')).toBe(false);
  });

  it.each([
    ['an error of a proxy', { status: 404, text: '<html>nothing here</html>' }],
    ['a page', { status: 200, text: '<html>welcome</html>' }],
    ['a redirect, which is not followed', { status: 308, headers: { location: 'http://127.0.0.1:1/' }, text: '' }],
  ])('says that it is not from Florin: %s', async (_, reply) => {
    server.follow(reply);
    const error = await caught(connect().balance.get());
    expect(error).toMatchObject({ code: 'unexpected_response', message: expect.stringContaining('check the baseUrl') });
    expect(server.requests).toHaveLength(1);
  });

  it('shows no API key, and neither does the client', async () => {
    server.follow(errorReply(401, 'invalid_key'));
    const florin = connect();
    const error = await caught(florin.balance.get());
    for (const shown of [florin, florin.balance, error])
      expect(`${inspect(shown, { depth: 9, showHidden: true })}${JSON.stringify(shown)}`).not.toContain(apiKey);
  });

  it('is reported once if nothing but the response is awaited', async () => {
    server.follow(errorReply(400, 'validation_failed'));
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    await caught(connect().balance.get().withResponse());
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('The environment', () => {
  it('is that of the key', () => {
    expect(connect().environment).toBe('sandbox');
    const baseUrl = { sandbox: 'https://sandbox.example', live: 'https://live.example/' };
    expect(new Florin({ apiKey: 'fl_live_x', baseUrl })).toMatchObject({
      environment: 'live',
      baseUrl: 'https://live.example',
    });
    expect(new Florin({ apiKey, baseUrl }).baseUrl).toBe('https://sandbox.example');
  });

  it('has a default address only in the sandbox', () => {
    expect(new Florin({ apiKey }).baseUrl).toBe('http://127.0.0.1:3000');
    expect(() => new Florin({ apiKey: 'fl_live_x' })).toThrow('There is no baseUrl for live.');
  });

  it.each([
    [{ apiKey: 'sk_test_1' }, 'neither fl_test_ nor fl_live_'],
    [{ apiKey: undefined as unknown as string }, 'neither fl_test_ nor fl_live_'],
    [{ apiKey, baseUrl: 'florin.example' }, 'does not begin with http:// or https://'],
    [{ apiKey, timeoutMs: 0 }, 'timeoutMs is 0'],
    [{ apiKey, maxRetries: -1 }, 'maxRetries is -1'],
    [{ apiKey, retryDelayMs: Number.NaN }, 'retryDelayMs is NaN'],
  ])('rejects %j', (options, message) => {
    expect(() => new Florin(options)).toThrow(message);
    expect(() => new Florin(options)).not.toThrow('sk_test_1');
  });
});
