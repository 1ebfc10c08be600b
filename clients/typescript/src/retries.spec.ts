import * as fc from 'fast-check';
import { ApiError, type Attempt, type AttemptOutcome, ConnectionError, Florin, type FlorinOptions } from './index';
import { readRetryAfter, retryDelayOf } from './retry';
import { type Behavior, errorReply, TestServer } from './testing/test-server';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(() => server.close());

const connect = (options: Partial<FlorinOptions> = {}) =>
  new Florin({ apiKey: 'fl_test_x', baseUrl: server.url, retryDelayMs: 1, ...options });

const caught = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );

const keysOf = () => server.requests.map(({ headers }) => headers['idempotency-key']);

const repeatable: readonly (readonly [string, Behavior])[] = [
  ['429', errorReply(429, 'rate_limited', { 'retry-after': '0' })],
  ['503', errorReply(503, 'unavailable', { 'retry-after': '0' })],
  ['408', errorReply(408, 'request_timeout')],
  ['500', errorReply(500, 'internal_error')],
  ['502 of a proxy', { status: 502, text: 'Bad Gateway' }],
  ['504 of a proxy', { status: 504, text: '' }],
  ['a closed connection', 'disconnect'],
  ['a response without its end', 'truncate'],
];

describe('A request is repeated', () => {
  it.each(repeatable)('with the same key and body after %s', async (_, behavior) => {
    server.follow(behavior, behavior, { status: 201, body: { amount: '5.00' } });
    expect(await connect().sandbox.fund({ amount: '5' })).toEqual({ amount: '5.00' });
    expect(server.requests).toHaveLength(3);
    expect(new Set(keysOf()).size).toBe(1);
    expect(new Set(server.requests.map(({ body }) => body))).toEqual(new Set(['{"amount":"5"}']));
  });

  it('after a timeout', async () => {
    server.follow('hang', { body: { available: '1.00' } });
    expect(await connect({ timeoutMs: 500, maxRetries: 20 }).balance.get()).toEqual({ available: '1.00' });
    expect(server.requests.length).toBeGreaterThan(1);
  });

  it('as often as configured, then fails with the last error', async () => {
    server.follow(errorReply(503, 'unavailable'));
    const error = await caught(connect({ maxRetries: 2 }).sandbox.fund({ amount: '5' }));
    expect(error).toMatchObject({ code: 'unavailable', request: { attempts: 3, idempotencyKey: keysOf()[0] } });
    expect(server.requests).toHaveLength(3);
    server.follow('disconnect');
    const lost = await caught(connect().sandbox.fund({ amount: '5' }, { maxRetries: 1 }));
    expect(lost).toBeInstanceOf(ConnectionError);
    expect(lost).toMatchObject({ request: { attempts: 2, idempotencyKey: keysOf()[0] } });
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    [400, 'insufficient_funds'],
    [401, 'invalid_key'],
    [403, 'scope_missing'],
    [404, 'not_found'],
    [409, 'idempotency_conflict'],
  ])('but not after %i', async (status, code) => {
    server.follow(errorReply(status, code));
    expect(await caught(connect().sandbox.fund({ amount: '5' }))).toMatchObject({ code });
    expect(server.requests).toHaveLength(1);
  });

  it('and a deletion that was processed before succeeds', async () => {
    server.follow('disconnect', errorReply(404, 'not_found'));
    expect(await connect().webhookEndpoints.delete('w1')).toBeUndefined();
    server.follow(errorReply(429, 'rate_limited'), errorReply(404, 'not_found'));
    expect(await caught(connect().webhookEndpoints.delete('w1'))).toMatchObject({ code: 'not_found' });
  });
});

describe('Retry-After', () => {
  it('makes the pause longer', async () => {
    server.follow(errorReply(429, 'rate_limited', { 'retry-after': '30' }), {});
    const controller = new AbortController();
    const pauses: (number | undefined)[] = [];
    const onResponse = (_: Attempt, { retryInMs }: AttemptOutcome): void => {
      pauses.push(retryInMs);
      controller.abort(new Error('I have seen the pause'));
    };
    const error = await caught(connect({ hooks: { onResponse } }).balance.get({ signal: controller.signal }));
    expect(error).toEqual(new Error('I have seen the pause'));
    expect(pauses).toEqual([expect.any(Number)]);
    expect(pauses[0]).toBeGreaterThanOrEqual(30_000);
    expect(server.requests).toHaveLength(1);
  });

  it('of more than a minute fails the call', async () => {
    server.follow(errorReply(503, 'unavailable', { 'retry-after': '61' }));
    expect(await caught(connect().balance.get())).toMatchObject({ code: 'unavailable', retryAfterSeconds: 61 });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [null, undefined],
    ['0', 0],
    ['7', 7],
    ['Thu, 31 Jan 2030 12:00:10 GMT', 10],
    ['Thu, 31 Jan 2030 11:00:00 GMT', 0],
    ['soon', undefined],
  ])('%j is %j seconds', (header, seconds) => {
    expect(readRetryAfter(header, Date.parse('2030-01-31T12:00:00Z'))).toBe(seconds);
  });
});

describe('The pause', () => {
  const request = { method: 'GET', path: '/', attempts: 1 };
  const lost = new ConnectionError('', request);
  const policy = { maxRetries: 10, retryDelayMs: 500 };

  it('doubles up to 8 s, with jitter', () => {
    const pauses = (random: number) => [1, 2, 3, 4, 5, 6].map((n) => retryDelayOf(lost, n, policy, () => random));
    expect(pauses(0)).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
    expect(pauses(1)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });

  it('is never shorter than Retry-After', () => {
    fc.assert(
      fc.property(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 10 }), (seconds, attempt) => {
        const error = new ApiError('rate_limited', '', 429, request, undefined, seconds);
        expect(retryDelayOf(error, attempt, policy)).toBeGreaterThanOrEqual(seconds * 1_000);
      }),
    );
  });
});

describe('A timeout', () => {
  it('fails with what is known about the request', async () => {
    server.follow('hang');
    const error = await caught(connect({ timeoutMs: 50, maxRetries: 0 }).sandbox.fund({ amount: '5' }));
    expect(error).toMatchObject({
      name: 'TimeoutError',
      message: 'POST /api/v1/sandbox/funding had no response within 50 ms.',
      request: { idempotencyKey: expect.any(String) },
    });
    expect(error).toBeInstanceOf(ConnectionError);
  });
});

describe('A signal', () => {
  it('ends a call that waits for its response', async () => {
    server.follow('hang');
    const controller = new AbortController();
    const hooks = { onRequest: () => void setTimeout(() => controller.abort(new Error('Enough')), 20) };
    expect(await caught(connect({ hooks }).balance.get({ signal: controller.signal }))).toEqual(new Error('Enough'));
  });

  it('that is aborted prevents the request', async () => {
    server.follow({});
    const signal = AbortSignal.abort(new Error('Never'));
    expect(await caught(connect().balance.get({ signal }))).toEqual(new Error('Never'));
    expect(server.requests).toEqual([]);
  });
});

describe('Hooks', () => {
  it('see every attempt and can add headers', async () => {
    server.follow(errorReply(503, 'unavailable'), { headers: { 'x-request-id': 'req-2' }, body: {} });
    const seen: unknown[] = [];
    await connect({
      hooks: {
        onRequest: ({ method, route, number, headers }) => {
          seen.push([method, route, number, headers.get('authorization')]);
          headers.set('traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`);
        },
        onResponse: ({ number, headers }, { status, requestId, error, retryInMs, durationMs }) => {
          seen.push([number, status, requestId, ApiError.is(error, 'unavailable'), retryInMs !== undefined]);
          expect(headers.has('authorization')).toBe(false);
          expect(durationMs).toBeGreaterThanOrEqual(0);
        },
      },
    }).operations.get('o1');
    expect(seen).toEqual([
      ['GET', '/api/v1/operations/{id}', 1, null],
      [1, 503, 'req-1', true, true],
      ['GET', '/api/v1/operations/{id}', 2, null],
      [2, 200, 'req-2', false, false],
    ]);
    expect(server.requests.every(({ headers }) => headers['traceparent']?.includes('aaaa'))).toBe(true);
  });

  it('that throw end the call', async () => {
    server.follow({});
    const onResponse = jest.fn(() => {
      throw new Error('No span');
    });
    expect(await caught(connect({ hooks: { onResponse } }).balance.get())).toEqual(new Error('No span'));
    expect(onResponse).toHaveBeenCalledTimes(1);
  });
});
