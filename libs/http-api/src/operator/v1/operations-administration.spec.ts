import { randomId } from '@florin/kernel';
import type { Product } from '@florin/operations-domain';
import type { OperationReviewView, OwnedHolderView } from '@florin/read-models';
import { companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';

const api = new OperationsApp();

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  api.views.queries.length = 0;
});

/** Below the four-eyes amount of the test app. */
const decidedBy = { fourEyesAmount: '1000.00', proposedBy: { kind: 'operator', id: 'bootstrap' } };

const get = (path: string) => api.asOperator({ url: `/operator/v1${path}` });
const send = (method: 'POST' | 'PUT', path: string, payload?: object) =>
  api.asOperator({ method, url: `/operator/v1${path}`, payload });

describe('Reviews', () => {
  const review = (change: Partial<OperationReviewView> = {}): OperationReviewView => ({
    id: randomId(),
    kind: 'operation',
    companyId,
    environment: 'live',
    type: 'service',
    status: 'manual_review',
    amount: '5.00',
    fee: '0.00',
    total: '5.00',
    productId: 'airtime',
    recipient: 'Ida',
    reason: 'No response',
    since: '2026-01-01T00:00:01.000Z',
    lateAnswers: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    ...change,
  });

  it('are listed in pages', async () => {
    api.views.reviews = [review(), review()];
    const { status, body } = await get('/reviews?limit=1');
    expect([status, body['data']]).toEqual([200, [api.views.reviews[0]]]);
    await get(`/reviews?cursor=${String(body['nextCursor'])}`);
    const { id, createdAt } = api.views.reviews[0]!;
    expect(api.views.queries).toMatchObject([
      { page: { limit: 2 } },
      { page: { limit: 51, after: { id, createdAt } } },
    ]);
  });

  it('are resolved and returned in their new state', async () => {
    const resolved = review({ status: 'completed', resolution: { outcome: 'completed', note: 'Confirmed' } });
    api.views.reviews = [resolved];
    const decision = {
      outcome: 'completed',
      note: ' Confirmed ',
      last4: '4242',
      cardReference: 'crd_1',
      receipt: 'R-1',
    };
    expect(await send('POST', `/reviews/${resolved.id}/resolve`, decision)).toMatchObject({
      status: 200,
      body: resolved,
    });
    expect(api.bus.last).toMatchObject({ context: 'operations', key: resolved.id });
    expect(api.bus.last?.command).toEqual({
      type: 'ResolveReview',
      data: { operationId: resolved.id, ...decision, note: 'Confirmed', ...decidedBy },
    });
  });

  it.each([
    ['operation_unknown', 404, 'not_found'],
    ['wrong_phase', 404, 'not_found'],
    ['review_resolved', 409, 'idempotency_conflict'],
    ['card_details_missing', 400, 'validation_failed'],
  ])('map the refusal %s to %i', async (refusal, status, code) => {
    api.views.reviews = [review()];
    api.bus.refuse(refusal, 'The reason.');
    const decision = { outcome: 'failed', note: 'Denied' };
    const response = await send('POST', `/reviews/${api.views.reviews[0]!.id}/resolve`, decision);
    expect(response).toMatchObject({ status, body: { code } });
  });

  it('that do not exist return 404', async () => {
    const decision = { outcome: 'failed', note: 'Denied' };
    for (const id of [randomId(), 'unknown']) {
      expect(await send('POST', `/reviews/${id}/resolve`, decision)).toMatchObject({ status: 404 });
    }
    expect(api.bus.sent).toEqual([]);
  });

  it('reject an invoice id', async () => {
    api.views.reviews = [review()];
    const decision = { outcome: 'completed', note: 'Confirmed', invoiceId: randomId() };
    const { body } = await send('POST', `/reviews/${api.views.reviews[0]!.id}/resolve`, decision);
    expect(body).toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/^invoiceId does not apply/) as string,
    });
    expect(api.bus.sent).toEqual([]);
  });

  it.each([
    [{ outcome: 'perhaps', note: 'x' }, /^outcome must be completed or failed/],
    [{ outcome: 'failed' }, /^note is required/],
    [{ outcome: 'failed', note: ' ' }, /^note must not be empty/],
    [{ outcome: 'completed', note: 'x', last4: '42424242' }, /^last4 must be exactly four digits/],
  ])('reject %j', async (decision, message) => {
    const { body } = await send('POST', `/reviews/${randomId()}/resolve`, decision);
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toMatch(message);
    expect(api.bus.sent).toEqual([]);
  });
});

describe('Products', () => {
  const terms = { fixed: '3.00', percent: '0.2' };
  const product: Product = {
    productId: 'virtual-usd',
    kind: 'card',
    name: 'Virtual USD card',
    currency: 'USD',
    fee: { issue: terms },
    minimumAmount: '10.00',
    available: false,
  };
  const { productId: id, ...facts } = product;
  const definition = { kind: 'card', name: 'Virtual USD card', fee: { issue: terms }, minimumAmount: '10' };

  it('are all visible to operators, and to clients only if available', async () => {
    api.views.products = [product, { ...product, productId: 'other', available: true }];
    expect((await get('/products')).body).toEqual({
      data: [
        { id, ...facts },
        { id: 'other', ...facts, available: true },
      ],
    });
    const { available: _, ...shown } = facts;
    const clients = await api.as({ scopes: ['cards:read'] }, { url: '/api/v1/products' });
    expect(clients.body).toEqual({ data: [{ id: 'other', ...shown }] });
  });

  it('are created in USD and available by default', async () => {
    expect(await send('PUT', '/products/virtual-usd', definition)).toMatchObject({
      status: 200,
      body: { id, ...facts, available: true },
    });
    expect(api.bus.last).toMatchObject({ context: 'operations', key: 'virtual-usd' });
    const requestId = api.bus.last?.id;
    expect(api.bus.last?.command).toEqual({
      type: 'DefineProduct',
      data: { ...product, available: true, requestId, requestedAt: initialTime },
    });
    await send('PUT', '/products/virtual-usd', { ...definition, available: false });
    expect(api.bus.last?.command).toMatchObject({ data: { available: false } });
  });

  it('can be services', async () => {
    const service = {
      kind: 'service',
      name: 'Airtime',
      fee: { service: { fixed: '0', percent: '0' } },
      minimumAmount: '1',
    };
    expect((await send('PUT', '/products/airtime', service)).body).toMatchObject({
      fee: { service: { fixed: '0.00', percent: '0' } },
    });
  });

  it.each([
    ['virtual-usd', { ...definition, kind: 'club' }, /^kind must be card or service/],
    ['virtual-usd', { ...definition, fee: {} }, /^fee must have terms for issue, topup or both/],
    ['virtual-usd', { ...definition, fee: { service: terms } }, /^Unknown field fee.service/],
    ['virtual-usd', { ...definition, fee: { issue: { ...terms, percent: '100' } } }, /^fee.issue.percent must be/],
    ['virtual-usd', { ...definition, fee: { issue: { ...terms, percent: '-1' } } }, /^fee.issue.percent must be/],
    ['virtual-usd', { ...definition, currency: 'EUR' }, /^currency must be USD/],
    ['Virtual_USD', definition, /^The id of a product must be/],
  ])('reject %s as %j', async (productId, body, message) => {
    const response = await send('PUT', `/products/${productId}`, body);
    expect(response.body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(response.body['message']).toMatch(message);
    expect(api.bus.sent).toEqual([]);
  });
});

describe('Holders', () => {
  const holder: OwnedHolderView = {
    id: randomId(),
    name: 'Ida Example',
    email: 'ida@example.com',
    kind: 'individual',
    status: 'active',
    externalId: 'customer-1',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    companyId,
    environment: 'live',
  };
  const { createdAt: _, ...shown } = holder;
  const accountId = `${companyId}-live`;

  beforeEach(() => {
    api.views.holders = [holder];
    api.views.vault.destroyed.clear();
  });

  it('change their status', async () => {
    const { status, body } = await send('POST', `/holders/${holder.id}/status`, { status: 'blocked' });
    expect([status, body]).toEqual([200, shown]);
    expect(api.bus.last).toMatchObject({
      key: accountId,
      command: {
        type: 'SetHolderStatus',
        data: { accountId, holderId: holder.id, status: 'blocked', requestedAt: initialTime },
      },
    });
  });

  it('have a certificate after they are erased', async () => {
    const certificate = {
      ...{
        erasedAt: initialTime,
        erasedBy: { kind: 'operator' as const, id: 'ida' },
        sealedTexts: 2,
        readableTexts: 0,
      },
      event: { id: randomId(), stream: 'holders-a', revision: 3, position: '42', hash: 'ab'.repeat(32) },
      hashChain: { events: 4, isValid: true },
    };
    expect(await get(`/holders/${holder.id}/erasure`)).toMatchObject({ status: 404 });
    api.views.erasures.set(holder.id, certificate);
    const { companyId: owner, environment } = holder;
    expect(await get(`/holders/${holder.id}/erasure`)).toMatchObject({
      status: 200,
      body: { holderId: holder.id, companyId: owner, environment, ...certificate },
    });
  });

  it('are erased: first the key, then the holder', async () => {
    const destroyedBefore: boolean[] = [];
    api.bus.onRequest = () => destroyedBefore.push(api.views.vault.destroyed.has(holder.id));
    expect(await send('POST', `/holders/${holder.id}/erase`)).toMatchObject({ status: 200, body: shown });
    expect(destroyedBefore).toEqual([true]);
    expect(api.bus.last).toMatchObject({
      key: accountId,
      command: { type: 'EraseHolder', data: { accountId, holderId: holder.id } },
    });
  });

  it.each(['status', 'erase'])('that do not exist return 404: %s', async (verb) => {
    const payload = verb === 'status' ? { status: 'active' } : undefined;
    for (const id of [randomId(), 'unknown']) {
      expect(await send('POST', `/holders/${id}/${verb}`, payload)).toMatchObject({ status: 404 });
    }
    expect(api.bus.sent).toEqual([]);
    expect(api.views.vault.destroyed.size).toBe(0);
  });

  it('that are erased keep their status', async () => {
    api.bus.refuse('holder_erased', 'The reason.');
    expect(await send('POST', `/holders/${holder.id}/status`, { status: 'active' })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  });
});

it.each([
  ['GET', '/operator/v1/reviews'],
  ['POST', `/operator/v1/reviews/${randomId()}/resolve`],
  ['GET', '/operator/v1/products'],
  ['PUT', '/operator/v1/products/virtual-usd'],
  ['POST', `/operator/v1/holders/${randomId()}/status`],
  ['POST', `/operator/v1/holders/${randomId()}/erase`],
  ['GET', `/operator/v1/holders/${randomId()}/erasure`],
] as const)('%s %s is for operators only', async (method, url) => {
  expect((await api.as({}, { method, url })).body).toMatchObject({ statusCode: 401, code: 'invalid_key' });
});
