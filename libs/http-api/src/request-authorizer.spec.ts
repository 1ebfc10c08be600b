import { Controller } from '@nestjs/common';
import { Endpoint } from './endpoint';
import { startTestApp, type TestApp } from './testing/test-app';

const success = { status: 200, description: 'Done.' } as const;

@Controller()
class ThingsController {
  @Endpoint({
    method: 'GET',
    path: '/api/v1/things',
    operationId: 'things.list',
    tag: 'Things',
    summary: 'Read',
    scope: 'balance:read',
    capability: 'services',
    response: success,
  })
  async read(): Promise<object> {
    return {};
  }

  @Endpoint({
    method: 'GET',
    path: '/api/v1/account-statements',
    operationId: 'statements.get',
    tag: 'Things',
    summary: 'Read much',
    scope: 'balance:read',
    rateLimit: 'statements',
    response: success,
  })
  async readMuch(): Promise<object> {
    return {};
  }
}

let test: TestApp;

beforeEach(async () => {
  test = await startTestApp({ controllers: [ThingsController], options: { rateLimits: { live: 3, sandbox: 2 } } });
});

afterEach(() => test.app.close());

const read = (key: string, path = '/api/v1/things') =>
  test.app.inject({ url: path, headers: { authorization: `Bearer ${key}` } });

describe('A grant', () => {
  it.each([
    ['verification', { verification: 'pending' }, 'verification_required', { verification: 'approved' }],
    ['scope', { scopes: ['cards:read'] }, 'scope_missing', { scopes: ['balance:read'] }],
    ['capability', { environment: 'live' }, 'capability_inactive', { activations: ['services'] }],
  ] as const)('of the %s takes effect immediately on every replica', async (_name, before, code, granted) => {
    const key = test.keys.add(before);
    expect((await read(key)).json()).toMatchObject({ code });
    test.keys.change(key, granted);
    expect((await read(key)).statusCode).toBe(200);
  });

  it('is cached', async () => {
    const key = test.keys.add();
    await read(key);
    await read(key);
    expect(test.keys.reads).toBe(1);
  });

  it('is not needed in the sandbox', async () => {
    expect((await read(test.keys.add({ environment: 'sandbox', activations: [] }))).statusCode).toBe(200);
  });
});

describe('The rate limit', () => {
  it('is in the headers of every authenticated response', async () => {
    const key = test.keys.add();
    const { headers } = await read(key);
    expect(headers).toMatchObject({ 'ratelimit-policy': '"default";q=2;w=1', ratelimit: '"default";r=1;t=1' });
    const unknown = await read('nonsense');
    expect(unknown.headers).not.toHaveProperty('ratelimit');
  });

  it('returns 429 until the bucket refills', async () => {
    const key = test.keys.add();
    await read(key);
    await read(key);
    const refused = await read(key);
    expect(refused.json()).toMatchObject({ statusCode: 429, code: 'rate_limited' });
    expect(refused.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"default";r=0;t=1' });
    test.clock.advance(500);
    expect((await read(key)).statusCode).toBe(200);
    expect((await read(key)).statusCode).toBe(429);
  });

  it('is shared by the keys of one company and environment', async () => {
    const key = test.keys.add();
    const sameCompany = test.keys.add();
    const live = test.keys.add({ environment: 'live', activations: ['services'] });
    const other = test.keys.add({ companyId: 'c0ffee00-0000-4000-8000-000000000002' });
    await read(key);
    await read(sameCompany);
    expect((await read(key)).statusCode).toBe(429);
    expect((await read(sameCompany)).statusCode).toBe(429);
    expect((await read(live)).statusCode).toBe(200);
    expect((await read(other)).statusCode).toBe(200);
  });

  it('counts statements separately', async () => {
    const key = test.keys.add();
    for (let count = 0; count < 10; count++)
      expect((await read(key, '/api/v1/account-statements')).statusCode).toBe(200);
    const refused = await read(key, '/api/v1/account-statements');
    expect(refused.statusCode).toBe(429);
    expect(refused.headers).toMatchObject({
      'retry-after': '6',
      'ratelimit-policy': '"statements";q=10;w=60',
      ratelimit: '"statements";r=0;t=60',
    });
    expect((await read(key)).statusCode).toBe(200);
  });

  it('counts denied requests', async () => {
    const key = test.keys.add({ scopes: ['cards:read'] });
    await read(key);
    await read(key);
    expect((await read(key)).statusCode).toBe(429);
  });

  it('lets a burst wait for its turns, and no other company', async () => {
    const live = { environment: 'live', activations: ['services'] } as const;
    const key = test.keys.add(live);
    const other = test.keys.add({ ...live, companyId: 'c0ffee00-0000-4000-8000-000000000002' });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'Date'] });
    try {
      let responses = 0;
      const burst = [1, 2, 3].map(() => read(key).finally(() => (responses += 1)));
      await Promise.all(burst.slice(0, 2));
      expect((await read(other)).statusCode).toBe(200);
      expect(responses).toBe(2);
      await jest.advanceTimersByTimeAsync(167);
      expect((await Promise.all(burst)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is disabled if it is 0', async () => {
    const { app, keys } = await startTestApp({ controllers: [ThingsController] });
    const headers = { authorization: `Bearer ${keys.add()}` };
    for (let count = 0; count < 20; count++) {
      const response = await app.inject({ url: '/api/v1/account-statements', headers });
      expect(response.statusCode).toBe(200);
      expect(response.headers).not.toHaveProperty('ratelimit');
    }
    await app.close();
  });
});
