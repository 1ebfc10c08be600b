import { deterministicId, isUuid, randomId } from '@florin/kernel';
import type { PaymentAnswer } from '@florin/operations-domain';
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
const payment = (change: Partial<PaymentAnswer> = {}): PaymentAnswer => ({
  transactionId: randomId(),
  reference: 'txn-1',
  type: 'purchase',
  status: 'completed',
  amount: '12.50',
  currency: 'USD',
  merchant: 'Coffee House',
  country: 'NL',
  description: 'Two espressos',
  authorizedAmount: '12.50',
  clearedAmount: '12.50',
  occurredAt: '2026-01-01T00:00:00.000Z',
  ...change,
});

const view = (change: Partial<PaymentAnswer> = {}): TransactionView => {
  const { transactionId: id, ...rest } = payment(change);
  return { id, cardId, ...rest, updatedAt: '2026-01-02T00:00:00.000Z' };
};

describe('GET /transactions', () => {
  const list = (query = '', scopes: ApiKeyView['scopes'] = ['operations:read']) =>
    api.as({ scopes }, { url: `/api/v1/transactions${query}` });

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
    const recorded = payment({ status: 'declined', declineReason: 'limit_exceeded' });
    api.bus.accept(recorded);
    const { transactionId, ...rest } = recorded;
    const { status, body } = await post(report, { 'idempotency-key': 'one' });
    expect([status, body]).toEqual([201, { id: transactionId, cardId, ...rest, updatedAt: recorded.occurredAt }]);
    const id = deterministicId(companyId, 'sandbox', 'POST /api/v1/sandbox/transactions', 'one');
    expect(api.bus.last).toMatchObject({ context: 'operations', key: accountId, id });
    expect(api.bus.last?.command).toEqual({
      type: 'RecordTransaction',
      data: {
        transactionId: id,
        cardId,
        accountId,
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        reportedAt: initialTime,
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
    const details = {
      ...{ type: 'withdrawal', country: 'NL', description: 'Cold', merchantCategory: '6011' },
      ...{ originalAmount: '11.00', originalCurrency: 'EUR' },
    };
    await post({ ...report, ...details, capture: false });
    expect(api.bus.last?.command).toMatchObject({ data: { payment: { ...details, status: 'pending' } } });
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
    [{ merchantCategory: '58' }, /^merchantCategory must be a merchant category code/],
    [{ originalAmount: '1.00' }, 'originalCurrency must be sent together with originalAmount.'],
    [{ capture: 'no' }, /^capture /],
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

describe('GET /transactions/{id}', () => {
  const read = (id: string) => api.as({ scopes: ['operations:read'] }, { url: `/api/v1/transactions/${id}` });

  it('returns the transaction', async () => {
    const found = view();
    api.views.transactions = [found];
    expect(await read(found.id)).toMatchObject({ status: 200, body: found });
  });

  it.each([randomId(), 'unknown'])('returns 404 for %s', async (id) => {
    expect(await read(id)).toMatchObject({ status: 404 });
  });
});

describe('Reports about a sandbox transaction', () => {
  const known = view({ status: 'pending', clearedAmount: '0.00' });
  const post = (verb: string, payload?: object, headers: Record<string, string> = {}, id = known.id) =>
    api.as({}, { method: 'POST', url: `/api/v1/sandbox/transactions/${id}/${verb}`, payload, headers });
  const idOf = (verb: string, key: string) =>
    deterministicId(companyId, 'sandbox', `POST /api/v1/sandbox/transactions/:id/${verb} {"id":"${known.id}"}`, key);
  beforeEach(() => {
    api.views.transactions = [known];
    api.bus.accept(payment());
  });

  it.each([
    ['clear', {}, { status: 'completed', clearing: { clearingId: idOf('clear', 'k'), final: true } }],
    [
      'clear',
      { amount: '5', final: false },
      { status: 'completed', clearing: { clearingId: idOf('clear', 'k'), final: false, amount: '5.00' } },
    ],
    ['reverse', undefined, { status: 'reversed' }],
    ['expire', undefined, { status: 'expired' }],
  ])('/%s %j are sent as such, and return the transaction', async (verb, body, report) => {
    const { status, body: shown } = await post(verb, body, { 'idempotency-key': 'k' });
    expect([status, shown]).toEqual([200, known]);
    expect(api.bus.last).toMatchObject({ context: 'operations', key: accountId, id: idOf(verb, 'k') });
    const data = { transactionId: known.id, cardId, accountId, reportedAt: initialTime, payment: report };
    expect(api.bus.last?.command).toMatchObject({ type: 'RecordTransaction', data });
    expect(api.bus.last?.command.data).not.toHaveProperty('fingerprint');
  });

  it.each([
    [{}, '12.50'],
    [{ amount: '2' }, '2.00'],
  ])('/refund %j is a new transaction that names the refunded one', async (body, amount) => {
    const paid = view();
    api.views.transactions = [paid];
    const refund = { type: 'refund', status: 'completed', amount, refundOf: paid.id } as const;
    api.bus.accept(payment({ ...refund, transactionId: known.id, clearedAmount: amount }));
    const response = await post('refund', body, {}, paid.id);
    expect(response).toMatchObject({ status: 201, body: { type: 'refund', amount } });
    expect(response.body).not.toHaveProperty('refundOf');
    expect(api.bus.last?.command).toMatchObject({ data: { payment: refund, cardId } });
  });

  it.each([
    ['payment_settled', 409, 'idempotency_conflict'],
    ['payment_mismatch', 409, 'idempotency_conflict'],
    ['insufficient_card_balance', 400, 'insufficient_card_balance'],
  ])('map the refusal %s to %i %s', async (refusal, status, code) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await post('clear', {})).toMatchObject({ status, body: { code } });
  });

  it('reject a zero amount, an unknown transaction and a live key', async () => {
    expect((await post('clear', { amount: '0' })).body).toMatchObject({ code: 'validation_failed' });
    expect((await post('reverse', undefined, {}, randomId())).status).toBe(404);
    const url = `/api/v1/sandbox/transactions/${known.id}/expire`;
    const live = await api.as({ environment: 'live' }, { method: 'POST', url });
    expect(live.body).toMatchObject({ code: 'sandbox_only' });
  });
});
