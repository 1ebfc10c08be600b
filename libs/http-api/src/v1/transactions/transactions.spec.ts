import { deterministicId, isUuid, randomId } from '@florin/kernel';
import type { CardPayment } from '@florin/operations-domain';
import type { ApiKeyView, TransactionView } from '@florin/read-models';
import { accountId, companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';

const api = new OperationsApp();

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  api.views.queries.length = 0;
});

const cardId = randomId();
const payment = (change: Partial<CardPayment> = {}): CardPayment => ({
  transactionId: randomId(),
  reference: 'txn-1',
  type: 'purchase',
  status: 'completed',
  amount: '12.50',
  currency: 'USD',
  merchant: 'Coffee House',
  country: 'NL',
  description: 'Two espressos',
  occurredAt: '2026-01-01T00:00:00.000Z',
  ...change,
});

describe('GET /transactions', () => {
  const list = (query = '', scopes: ApiKeyView['scopes'] = ['operations:read']) =>
    api.as({ scopes }, { url: `/api/v1/transactions${query}` });
  const view = (): TransactionView => {
    const { transactionId: id, ...rest } = payment();
    return { id, cardId, ...rest };
  };

  it('returns pages in order of occurrence', async () => {
    api.views.transactions = [view(), view()];
    const { body } = await list('?limit=1');
    expect(body['data']).toEqual([api.views.transactions[0]]);
    await list(`?cursor=${String(body['nextCursor'])}`);
    const { id, occurredAt: createdAt } = api.views.transactions[0]!;
    expect(api.views.queries).toMatchObject([
      { page: { limit: 2 } },
      { page: { limit: 51, after: { id, createdAt } } },
    ]);
  });

  it('applies every filter', async () => {
    await list(`?cardId=${cardId}&type=refund&status=pending&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z`);
    const filter = { cardId, type: 'refund', status: 'pending' };
    const range = { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' };
    expect(api.views.queries).toMatchObject([
      { owner: { companyId, environment: 'sandbox' }, filter: { ...filter, ...range } },
    ]);
  });

  it.each(['type=gift', 'status=lost', 'cardId=x', 'from=2026-01-01', 'merchant=x'])('rejects %s', async (query) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('requires operations:read', async () => {
    expect((await list('', ['cards:read'])).body).toMatchObject({ code: 'scope_missing' });
  });
});

describe('POST /sandbox/transactions', () => {
  const report = { cardId, amount: '12.5', merchant: 'Coffee House' };
  const post = (payload: object, headers: Record<string, string> = {}, key: Partial<ApiKeyView> = {}) =>
    api.as(key, { method: 'POST', url: '/api/v1/sandbox/transactions', payload, headers });

  it('records the payment and returns its outcome', async () => {
    const recorded = payment({ status: 'declined' });
    api.bus.accept(recorded);
    const { transactionId, ...rest } = recorded;
    const { status, body } = await post(report, { 'idempotency-key': 'one' });
    expect([status, body]).toEqual([201, { id: transactionId, cardId, ...rest }]);
    const id = deterministicId(companyId, 'sandbox', 'POST /api/v1/sandbox/transactions', 'one');
    expect(api.bus.last).toMatchObject({ context: 'operations', key: accountId, id });
    expect(api.bus.last?.command).toEqual({
      type: 'RecordTransaction',
      data: {
        transactionId: id,
        cardId,
        accountId,
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        payment: {
          transactionId: id,
          reference: id,
          type: 'purchase',
          status: 'completed',
          amount: '12.50',
          currency: 'USD',
          merchant: 'Coffee House',
          country: 'US',
          description: '',
          occurredAt: initialTime,
        },
      },
    });
  });

  it('sends every field of the request', async () => {
    api.bus.accept(payment());
    await post({ ...report, type: 'refund', country: 'NL', description: 'Cold' });
    const refund = { type: 'refund', country: 'NL', description: 'Cold' };
    expect(api.bus.last?.command).toMatchObject({ data: { payment: refund } });
    expect(isUuid(api.bus.last?.id)).toBe(true);
  });

  it('marks a repeated response as replayed', async () => {
    api.bus.accept(payment(), true);
    expect((await post(report, { 'idempotency-key': 'one' })).headers['idempotent-replayed']).toBe('true');
  });

  it.each([
    ['not_found', 404],
    ['idempotency_conflict', 409],
  ])('maps the refusal %s to %i', async (code, status) => {
    api.bus.refuse(code, 'The reason.');
    expect(await post(report)).toMatchObject({ status, body: { code } });
  });

  it.each([
    [{ amount: '0' }, 'amount must be at least 0.01, unless it is a verification.'],
    [{ country: 'nl' }, 'country must be an ISO 3166-1 alpha-2 code in upper case, such as NL.'],
    [{ type: 'gift' }, /^type must be purchase, /],
    [{ merchant: undefined }, 'merchant is required.'],
    [{ currency: 'USD' }, 'Unknown field currency: remove it.'],
  ])('rejects %j', async (change, message) => {
    const { body } = await post({ ...report, ...change });
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
  });

  it('accepts a verification with amount zero', async () => {
    api.bus.accept(payment());
    expect((await post({ ...report, amount: '0', type: 'verification' })).status).toBe(201);
  });

  it('rejects a live key before it checks the card', async () => {
    const live: Partial<ApiKeyView> = { environment: 'live' };
    expect((await post({ ...report, cardId: 'nope' }, {}, live)).body).toMatchObject({ code: 'sandbox_only' });
    expect((await post({ ...report, cardId: 'nope' })).body).toMatchObject({ code: 'not_found' });
    expect(api.bus.sent).toEqual([]);
  });
});
