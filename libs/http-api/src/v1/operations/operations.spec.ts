import { deterministicId, isUuid, randomId, sha256 } from '@florin/kernel';
import type { Order } from '@florin/operations-domain';
import type { OperationObject } from '@florin/operations-domain';
import type { ApiKeyView } from '@florin/read-models';
import { accountId, companyId, OperationsApp } from '../../testing/operations-app';

const api = new OperationsApp();

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  api.views.queries.length = 0;
});

const holderId = randomId();
const cardId = randomId();
const issue = { type: 'issue', productId: 'virtual-usd', amount: '100', expectedTotal: '103.2', holderId };
const topup = { type: 'topup', productId: 'virtual-usd', amount: '100', expectedTotal: '100.20', cardId };
const unload = { type: 'unload', amount: '100', expectedTotal: '100', cardId };
const service = { type: 'service', productId: 'airtime', amount: '5', expectedTotal: '5', recipient: '+31612345678' };
const everything: Partial<ApiKeyView> = { scopes: ['cards:write', 'services:write', 'operations:read'] };

const operationId = (key = 'one', company = companyId) =>
  deterministicId(company, 'sandbox', 'POST /api/v1/operations', key);

const order = (change: Partial<Order> = {}): Order => ({
  operationId: operationId(),
  companyId,
  environment: 'sandbox',
  accountId,
  type: 'issue',
  productId: 'virtual-usd',
  amount: '100.00',
  fee: '3.20',
  total: '103.20',
  holderId,
  fingerprint: 'f',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...change,
});

const post = (payload: object, key: Partial<ApiKeyView> = everything, headers = { 'idempotency-key': 'one' }) =>
  api.as(key, { method: 'POST', url: '/api/v1/operations', payload, headers });

describe('POST /operations', () => {
  it('sends the command and returns the queued operation', async () => {
    api.bus.accept(order({ name: 'Travel' }));
    const metadata = { order: '4711' };
    const { status, headers, body } = await post({ ...issue, name: ' Travel ', metadata });
    expect(status).toBe(201);
    expect(headers['location']).toBe(`/api/v1/operations/${operationId()}`);
    expect(headers).not.toHaveProperty('idempotent-replayed');
    expect(body).toEqual({
      id: operationId(),
      environment: 'sandbox',
      type: 'issue',
      status: 'queued',
      amount: '100.00',
      fee: '3.20',
      total: '103.20',
      currency: 'USD',
      productId: 'virtual-usd',
      holderId,
      name: 'Travel',
      metadata,
      result: {},
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
    const canonical = `{"amount":"100.00","expectedTotal":"103.20","holderId":"${holderId}","metadata":{"order":"4711"},"name":"Travel","productId":"virtual-usd","type":"issue"}`;
    expect(api.bus.last).toMatchObject({ context: 'operations', key: accountId, id: operationId() });
    expect(api.bus.last?.command).toEqual({
      type: 'RequestOperation',
      data: {
        operationId: operationId(),
        fingerprint: sha256(canonical),
        companyId,
        companyKind: 'corporate',
        environment: 'sandbox',
        accountId,
        type: 'issue',
        productId: 'virtual-usd',
        amount: '100.00',
        expectedTotal: '103.20',
        holderId,
        name: 'Travel',
        metadata,
      },
    });
  });

  it.each([
    ['topup', topup, { cardId }],
    ['service', service, { recipient: '+31612345678' }],
    ['unload', unload, { cardId, amount: '100.00', expectedTotal: '100.00' }],
  ])('accepts type %s', async (type, payload, own) => {
    api.bus.accept(order());
    expect((await post(payload)).status).toBe(201);
    expect(api.bus.last?.command).toMatchObject({ data: { type, ...own } });
  });

  it('marks a repeated response as replayed', async () => {
    api.bus.accept(order(), true);
    const { status, headers, body } = await post(issue);
    expect([status, headers['idempotent-replayed'], body['status']]).toEqual([201, 'true', 'queued']);
  });

  it.each([
    ['not_found', 404],
    ['idempotency_conflict', 409],
    ['quote_changed', 409],
    ['product_unavailable', 400],
    ['amount_below_minimum', 400],
    ['validation_failed', 400],
    ['holder_not_active', 400],
    ['card_not_active', 400],
    ['insufficient_card_balance', 400],
    ['quota_exceeded', 400],
    ['insufficient_funds', 400],
  ])('maps the refusal %s to %i', async (code, status) => {
    api.bus.refuse(code, 'The reason.');
    expect(await post(issue)).toMatchObject({ status, body: { statusCode: status, code, message: 'The reason.' } });
  });

  it.each([
    ['no field at all', {}, 'type must be one of issue, topup, service, unload.'],
    ['another type', { ...issue, type: 'burn' }, 'type must be one of issue, topup, service, unload.'],
    ['no holder', { ...issue, holderId: undefined }, 'holderId is required.'],
    ['no card', { ...topup, cardId: undefined }, 'cardId is required.'],
    ['no recipient', { ...service, recipient: undefined }, 'recipient is required.'],
    ['no total', { ...issue, expectedTotal: undefined }, 'expectedTotal is required.'],
    ['no product', { ...issue, productId: undefined }, 'productId is required.'],
    ['a card on issue', { ...issue, cardId }, 'cardId does not belong to the type issue here: remove it.'],
    ['a name on topup', { ...topup, name: 'x' }, 'name does not belong to the type topup here: remove it.'],
    [
      'two strangers on service',
      { ...service, holderId, cardId },
      'holderId, cardId does not belong to the type service here: remove it.',
    ],
    ['no card to unload', { ...unload, cardId: undefined }, 'cardId is required.'],
    [
      'a product on unload',
      { ...unload, productId: 'virtual-usd' },
      'productId does not belong to the type unload here: remove it.',
    ],
    ['a misspelt field', { ...issue, nmae: 'x' }, 'Unknown field nmae: remove it.'],
    ['a number', { ...issue, amount: 100 }, 'amount must be a decimal string such as "10.00", not a JSON number.'],
    ['an invalid product id', { ...issue, productId: 'Virtual USD' }, /^productId must be the id of a product/],
    ['an empty id', { ...issue, holderId: '' }, 'holderId must not be empty.'],
    ['a long name', { ...issue, name: 'x'.repeat(65) }, 'name must have at most 64 characters.'],
    ['a long recipient', { ...service, recipient: 'x'.repeat(257) }, 'recipient must have at most 256 characters.'],
  ])('rejects %s', async (_name, payload, message) => {
    const { body } = await post(payload);
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    expect(api.bus.sent).toEqual([]);
  });

  it.each([
    ['holder', { ...issue, holderId: 'nobody' }],
    ['card', { ...topup, cardId: 'A'.repeat(36) }],
    ['card to unload', { ...unload, cardId: 'nothing' }],
  ])('returns 404 for a malformed %s id', async (_thing, payload) => {
    expect(await post(payload)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(api.bus.sent).toEqual([]);
  });
});

describe('POST /quotes', () => {
  const quote = (payload: object, key = everything) => api.as(key, { method: 'POST', url: '/api/v1/quotes', payload });
  const { expectedTotal: _none, ...unpriced } = issue;

  it('sends the command and returns the price', async () => {
    const price = { amount: '100.00', fee: '3.20', total: '103.20', breakdown: [{ kind: 'amount', amount: '100.00' }] };
    api.bus.accept(price);
    expect(await quote(unpriced)).toMatchObject({ status: 200, body: price });
    const data = {
      ...unpriced,
      amount: '100.00',
      companyId,
      companyKind: 'corporate',
      environment: 'sandbox',
      accountId,
    };
    expect(api.bus.last?.command).toEqual({ type: 'QuoteOperation', data });
    expect(isUuid(api.bus.last?.id)).toBe(true);
  });

  it('sends the quote id and fingerprint with an idempotency key', async () => {
    api.bus.accept({ amount: '100.00', fee: '3.20', total: '103.20', breakdown: [] });
    await api.as(everything, {
      ...{ method: 'POST', url: '/api/v1/quotes', payload: unpriced },
      headers: { 'idempotency-key': 'q-1' },
    });
    const { repeatable } = api.bus.last?.command.data as { repeatable: { quoteId: string; fingerprint: string } };
    expect(isUuid(repeatable.quoteId)).toBe(true);
    expect(repeatable.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });

  it('rejects an expected total', async () => {
    const message = 'expectedTotal does not belong to the type issue here: remove it.';
    expect((await quote(issue)).body).toMatchObject({ code: 'validation_failed', message });
  });

  it('requires the scope of the operation', async () => {
    const key: Partial<ApiKeyView> = { scopes: ['services:write'] };
    expect((await quote(unpriced, key)).body).toMatchObject({ code: 'scope_missing' });
  });
});

const view = (change: Partial<OperationObject> = {}): OperationObject => ({
  id: randomId(),
  environment: 'sandbox',
  type: 'issue',
  status: 'completed',
  amount: '100.00',
  fee: '3.20',
  total: '103.20',
  currency: 'USD',
  productId: 'virtual-usd',
  result: { cardId, receipt: 'R-1' },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...change,
});

describe('GET /operations/{id}', () => {
  const read = (id: string, scopes: ApiKeyView['scopes']) => api.as({ scopes }, { url: `/api/v1/operations/${id}` });

  it('returns only operations of this company and environment', async () => {
    const found = view();
    api.views.operations = [found];
    expect(await read(found.id, ['operations:read'])).toMatchObject({ status: 200, body: { ...found } });
    expect(api.views.queries).toEqual([{ owner: { companyId, environment: 'sandbox' } }]);
  });

  it.each([
    ['issue', 'cards:write', 200],
    ['topup', 'cards:write', 200],
    ['service', 'cards:write', 403],
    ['issue', 'services:write', 403],
    ['topup', 'services:write', 403],
    ['service', 'services:write', 200],
    ['issue', 'cards:read', 403],
  ] as const)('of type %s is for a key with %s: %i', async (type, scope, status) => {
    const found = view({ type });
    api.views.operations = [found];
    const { status: actual, body } = await read(found.id, [scope]);
    expect(actual).toBe(status);
    if (status === 403) expect(body).toMatchObject({ code: 'scope_missing' });
  });

  it.each([randomId(), 'unknown'])('returns 404 for %s', async (id) => {
    expect(await read(id, ['services:write'])).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('GET /operations', () => {
  const list = (query = '', key: Partial<ApiKeyView> = everything) =>
    api.as(key, { url: `/api/v1/operations${query}` });
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => view({ createdAt: `2026-01-01T00:00:00.${String(999 - index)}Z` }));

  it('returns 50 items and a cursor if there are more', async () => {
    api.views.operations = rows(51);
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body['data']).toEqual(api.views.operations.slice(0, 50));
    expect(api.views.queries).toEqual([
      { owner: { companyId, environment: 'sandbox' }, filter: {}, page: { limit: 51, after: undefined } },
    ]);
    await list(`?cursor=${String(body['nextCursor'])}`);
    const { createdAt, id } = api.views.operations[49]!;
    expect(api.views.queries.at(-1)).toMatchObject({ page: { limit: 51, after: { createdAt, id } } });
  });

  it('returns no cursor on the last page', async () => {
    api.views.operations = rows(2);
    expect(Object.keys((await list('?limit=2')).body)).toEqual(['data']);
  });

  it('applies every filter, with times in UTC', async () => {
    const query =
      `?type=topup&status=manual_review&cardId=${cardId}` +
      '&createdFrom=2026-01-01T01:00:00%2B01:00&createdTo=2026-01-02T00:00:00Z&limit=1';
    await list(query);
    expect(api.views.queries).toMatchObject([
      {
        filter: {
          type: 'topup',
          status: 'manual_review',
          cardId,
          createdFrom: '2026-01-01T00:00:00.000Z',
          createdTo: '2026-01-02T00:00:00.000Z',
        },
        page: { limit: 2 },
      },
    ]);
  });

  it('rejects a cursor of other filters or another company', async () => {
    api.views.operations = rows(2);
    const next = `cursor=${String((await list('?limit=1&type=issue')).body['nextCursor'])}`;
    expect((await list(`?limit=5&type=issue&${next}`)).status).toBe(200);
    for (const refused of [
      list(`?type=topup&${next}`),
      list(`?type=issue&${next}`, { ...everything, companyId: randomId() }),
    ]) {
      expect((await refused).body).toMatchObject({ code: 'validation_failed' });
    }
  });

  it.each([
    'type=burn',
    'status=done',
    'cardId=nope',
    'createdFrom=yesterday',
    'createdTo=2026-01-01',
    'holderId=x',
    'limit=101',
  ])('rejects %s', async (query) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(api.views.queries).toEqual([]);
  });

  it('requires operations:read', async () => {
    const key: Partial<ApiKeyView> = { scopes: ['cards:write', 'services:write'] };
    expect((await list('', key)).body).toMatchObject({ code: 'scope_missing' });
  });
});
