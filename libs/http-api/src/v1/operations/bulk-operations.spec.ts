import { deterministicId, randomId } from '@florin/kernel';
import type { Order, RequestOperation, RequestOperations } from '@florin/operations-domain';
import type { ApiKeyView } from '@florin/read-models';
import { bulkBodyLimitBytes } from '../../body-size';
import { accountId, companyId, OperationsApp } from '../../testing/operations-app';

const api = new OperationsApp();

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => api.bus.clear());

const holderId = randomId();
const issue = { type: 'issue', productId: 'virtual-usd', amount: '100', expectedTotal: '103.2', holderId };
const service = { type: 'service', productId: 'airtime', amount: '5', expectedTotal: '5', recipient: '+31612345678' };
const both: Partial<ApiKeyView> = { scopes: ['cards:write', 'services:write'] };

const operationId = (key: string) => deterministicId(companyId, 'sandbox', 'POST /api/v1/operations', key);

const order = (key: string): Order => ({
  operationId: operationId(key),
  companyId,
  environment: 'sandbox',
  accountId,
  type: 'service',
  productId: 'airtime',
  amount: '5.00',
  fee: '0.00',
  total: '5.00',
  recipient: '+31612345678',
  fingerprint: 'f',
  createdAt: '2026-01-01T00:00:00.000Z',
});

const accepted = (key: string, repeated = false) => ({ ok: true, repeated, answer: order(key) });
const refused = (code: string) => ({ ok: false, refusal: { refused: code, message: 'The reason.' } });

type Result = Readonly<Record<string, unknown>> & { readonly error?: Readonly<Record<string, unknown>> };

const post = (payload: object | string, key: Partial<ApiKeyView> = both, headers: Record<string, string> = {}) =>
  api.as(key, {
    method: 'POST',
    url: '/api/v1/operations/bulk',
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  });

const bulk = async (operations: readonly unknown[], key?: Partial<ApiKeyView>): Promise<readonly Result[]> => {
  const { status, body } = await post({ operations }, key);
  expect(status).toBe(200);
  return body['results'] as Result[];
};

const sentRequests = (): RequestOperations['data']['requests'] =>
  (api.bus.last?.command as RequestOperations | undefined)?.data.requests ?? [];

const codesOf = (results: readonly Result[]) => results.map(({ error, status }) => error?.['code'] ?? status);

describe('POST /operations/bulk', () => {
  it('sends one command for all items and returns their outcomes in order', async () => {
    api.bus.accept([accepted('a'), refused('insufficient_funds'), accepted('c', true)]);
    const metadata = { order: '4711' };
    const results = await bulk([
      { idempotencyKey: 'a', ...service, metadata },
      { idempotencyKey: 'b', ...issue },
      { idempotencyKey: 'c', ...service },
    ]);
    const operation = {
      ...{ id: operationId('a'), environment: 'sandbox', type: 'service', status: 'queued', amount: '5.00' },
      ...{ fee: '0.00', total: '5.00', currency: 'USD', productId: 'airtime', recipient: '+31612345678', result: {} },
      ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
    };
    const error = {
      ...{ statusCode: 400, code: 'insufficient_funds', message: 'The reason.' },
      requestId: expect.any(String) as string,
    };
    expect(results).toEqual([
      { idempotencyKey: 'a', status: 201, operation: { ...operation, metadata } },
      { idempotencyKey: 'b', status: 400, error },
      { idempotencyKey: 'c', status: 201, replayed: true, operation: { ...operation, id: operationId('c') } },
    ]);
    expect(api.bus.sent).toHaveLength(1);
    expect(api.bus.last).toMatchObject({ context: 'operations', key: accountId });
  });

  it('sends the id and the fingerprint that each item would have alone', async () => {
    const items = [
      { ...issue, name: ' Travel ', metadata: { order: '4711' } },
      { ...service, amount: '5.00' },
    ];
    const keys = ['a', 'b'];
    api.bus.accept([accepted('a'), accepted('b')]);
    await bulk(items.map((item, index) => ({ idempotencyKey: keys[index], ...item })));
    const { requests, ...owner } = (api.bus.last?.command as RequestOperations).data;
    for (const [index, payload] of items.entries()) {
      api.bus.accept(order('a'));
      const headers = { 'idempotency-key': keys[index]! };
      await api.as(both, { method: 'POST', url: '/api/v1/operations', payload, headers });
      const { data } = api.bus.last?.command as RequestOperation;
      expect(JSON.parse(JSON.stringify({ ...owner, ...requests[index] }))).toEqual(JSON.parse(JSON.stringify(data)));
    }
  });

  it('reports an invalid item as alone, and sends the others', async () => {
    const messageOf = async (payload: object, key = 'k'): Promise<unknown> => {
      const headers = { 'idempotency-key': key };
      return (await api.as(both, { method: 'POST', url: '/api/v1/operations', payload, headers })).body['message'];
    };
    const invalid = [
      { ...issue, amount: 100 },
      { ...service, cardId: randomId() },
      { ...issue, holderId: 'nobody' },
      { ...service, nmae: 'x' },
      {},
    ];
    const messages = await Promise.all(invalid.map((item) => messageOf(item)));
    api.bus.accept([accepted('valid')]);
    const results = await bulk([
      ...invalid.map((item, index) => ({ idempotencyKey: `${index}`, ...item })),
      { idempotencyKey: 'valid', ...service },
    ]);
    expect(results.slice(0, -1).map(({ error }) => error?.['message'])).toEqual(messages);
    expect(codesOf(results)).toEqual([
      ...['validation_failed', 'validation_failed', 'not_found', 'validation_failed', 'validation_failed'],
      201,
    ]);
    expect(sentRequests().map((request) => request.operationId)).toEqual([operationId('valid')]);
  });

  it.each([
    ['no key', undefined, 'idempotencyKey is required: send a new unique value for every new operation.'],
    ['an empty key', '', /^idempotencyKey must be 1 to 128 visible ASCII/],
    ['a long key', 'x'.repeat(129), /^idempotencyKey must be 1 to 128 visible ASCII/],
    ['a key with a space', 'a b', /^idempotencyKey must be 1 to 128 visible ASCII/],
    ['a number as key', 7, /^idempotencyKey must be 1 to 128 visible ASCII/],
  ])('rejects an item with %s', async (_name, idempotencyKey, message) => {
    const [result] = await bulk([{ idempotencyKey, ...service }]);
    expect(result).toMatchObject({ status: 400, error: { code: 'validation_failed' } });
    expect(result).not.toHaveProperty('idempotencyKey');
    expect(result?.error?.['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    expect(api.bus.sent).toEqual([]);
  });

  it.each([null, 'text', 7, [service]])('rejects the item %j', async (item) => {
    const [result] = await bulk([item]);
    expect(result?.error).toMatchObject({
      code: 'validation_failed',
      message: 'Each of operations must be a JSON object.',
    });
  });

  it('has one outcome for items with the same key and body, and a conflict for another body', async () => {
    api.bus.accept([accepted('a'), refused('quote_changed')]);
    const results = await bulk([
      { idempotencyKey: 'a', ...service },
      { idempotencyKey: 'b', ...service },
      { idempotencyKey: 'a', ...service, amount: '5.0' },
      { idempotencyKey: 'a', ...service, amount: '6', expectedTotal: '6' },
      { idempotencyKey: 'b', ...service },
    ]);
    expect(codesOf(results)).toEqual([201, 'quote_changed', 201, 'idempotency_conflict', 'quote_changed']);
    expect(results.map(({ replayed }) => replayed)).toEqual([undefined, undefined, true, undefined, undefined]);
    expect(sentRequests()).toHaveLength(2);
  });

  it('does not count an invalid item as the first with its key', async () => {
    api.bus.accept([accepted('a')]);
    const results = await bulk([
      { idempotencyKey: 'a', ...service, amount: 5 },
      { idempotencyKey: 'a', ...service },
    ]);
    expect(codesOf(results)).toEqual(['validation_failed', 201]);
  });

  it.each([
    ['no operations', {}, 'operations is required.'],
    ['an empty list', { operations: [] }, 'operations must be a list of 1 to 500 operations.'],
    ['no list', { operations: { 0: service } }, 'operations must be a list of 1 to 500 operations.'],
    ['501 items', { operations: new Array(501).fill(null) }, 'operations must be a list of 1 to 500 operations.'],
    ['an unknown field', { operations: [service], atomic: true }, 'Unknown field atomic: remove it.'],
  ])('rejects %s as a whole', async (_name, payload, message) => {
    expect(await post(payload)).toMatchObject({ status: 400, body: { code: 'validation_failed', message } });
    expect(api.bus.sent).toEqual([]);
  });

  it('accepts 500 items and a body of 256 KiB, and nothing larger', async () => {
    const operations = Array.from({ length: 500 }, (_, index) => ({ idempotencyKey: `${index}`, ...service }));
    api.bus.accept(operations.map(({ idempotencyKey }) => accepted(idempotencyKey)));
    const text = JSON.stringify({ operations });
    const padding = ' '.repeat(bulkBodyLimitBytes - text.length);
    expect((await post(text + padding)).status).toBe(200);
    expect(sentRequests()).toHaveLength(500);
    const { status, body } = await post(`${text}${padding} `);
    expect([status, body['message']]).toEqual([400, 'The body is larger than 256 KiB: send less.']);
  });

  it('needs a scope for each item, and one of them for the request', async () => {
    api.bus.accept([accepted('b')]);
    const operations = [
      { idempotencyKey: 'a', ...issue },
      { idempotencyKey: 'b', ...service },
      { idempotencyKey: 'c', type: 'issue' },
    ];
    const results = await bulk(operations, { scopes: ['services:write'] });
    expect(codesOf(results)).toEqual(['scope_missing', 201, 'scope_missing']);
    expect(results[0]).toMatchObject({ idempotencyKey: 'a', status: 403 });
    const denied = await post({ operations }, { scopes: ['cards:read'] });
    expect(denied).toMatchObject({ status: 403, body: { code: 'scope_missing' } });
  });

  it('grants a permission immediately, on every replica', async () => {
    const operations = [{ idempotencyKey: 'a', ...service }];
    const secret = api.keys.add({ scopes: ['cards:write'] });
    const send = () =>
      api.send(`Bearer ${secret}`, { method: 'POST', url: '/api/v1/operations/bulk', payload: { operations } });
    expect(codesOf((await send()).body['results'] as Result[])).toEqual(['scope_missing']);
    api.keys.change(secret, { scopes: ['services:write'] });
    api.bus.accept([accepted('a')]);
    expect(codesOf((await send()).body['results'] as Result[])).toEqual([201]);
  });

  it('needs no header Idempotency-Key, and ignores it', async () => {
    api.bus.accept([accepted('a')]);
    const { status } = await post({ operations: [{ idempotencyKey: 'a', ...service }] }, both, {
      'idempotency-key': 'not a valid key',
    });
    expect(status).toBe(200);
  });

  it('returns 503 for the request if operations are not accepted now', async () => {
    api.bus.refuse('unavailable', 'Too many.');
    const { status, headers, body } = await post({ operations: [{ idempotencyKey: 'a', ...service }] });
    expect([status, headers['retry-after'], body['code']]).toEqual([503, '1', 'unavailable']);
  });
});

describe('The rate limit of bulk requests', () => {
  const limited = new OperationsApp();
  beforeAll(() => limited.start({ rateLimits: { live: 10, sandbox: 10 } }));
  afterAll(() => limited.close());

  it('counts every operation, for ten seconds at once, and no other requests', async () => {
    const secret = limited.keys.add(both);
    const send = (count: number) => {
      const operations = Array.from({ length: count }, (_, index) => ({ idempotencyKey: `${index}`, ...service }));
      limited.bus.accept(operations.map(({ idempotencyKey }) => accepted(idempotencyKey)));
      return limited.send(`Bearer ${secret}`, {
        method: 'POST',
        url: '/api/v1/operations/bulk',
        payload: { operations },
      });
    };
    const first = await send(60);
    expect(first.headers).toMatchObject({ 'ratelimit-policy': '"bulk";q=100;w=10', ratelimit: '"bulk";r=40;t=6' });
    expect((await send(140)).headers['ratelimit']).toBe('"bulk";r=0;t=20');
    const refusal = await send(1);
    expect([refusal.status, refusal.headers['retry-after']]).toEqual([429, '11']);
    expect(refusal.body['message']).toBe('Too many operations: at most 100 in 10 s. Repeat after 11 s.');
    limited.bus.accept(order('alone'));
    const headers = { 'idempotency-key': 'alone' };
    const alone = await limited.send(`Bearer ${secret}`, {
      ...{ method: 'POST', url: '/api/v1/operations', payload: service, headers },
    });
    expect([alone.status, alone.headers['ratelimit']]).toEqual([201, '"default";r=9;t=1']);
    limited.clock.advance(10_100);
    expect((await send(1)).status).toBe(200);
  });

  it('admits one of several concurrent requests that are larger than what is left', async () => {
    const secret = limited.keys.add({ ...both, companyId: randomId() });
    const operations = Array.from({ length: 200 }, (_, index) => ({ idempotencyKey: `${index}`, ...service }));
    limited.bus.accept(operations.map(({ idempotencyKey }) => accepted(idempotencyKey)));
    const responses = await Promise.all(
      [1, 2, 3].map(() =>
        limited.send(`Bearer ${secret}`, { method: 'POST', url: '/api/v1/operations/bulk', payload: { operations } }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
  });
});
