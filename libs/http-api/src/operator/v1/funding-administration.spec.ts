import { randomId } from '@florin/kernel';
import type { DepositReviewView, DepositView, InvoiceOwner, InvoiceReviewView } from '@florin/read-models';
import { companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';
import { FundingApiModule } from '../../v1/funding-api.module';
import { OperationsApiModule } from '../../v1/operations-api.module';

const api = new OperationsApp([OperationsApiModule, FundingApiModule]);

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  api.views.queries.length = 0;
});

/** Below the four-eyes amount of the test app. */
const decidedBy = { fourEyesAmount: '1000.00', proposedBy: { kind: 'operator', id: 'bootstrap' } };

const get = (path: string) => api.asOperator({ url: `/operator/v1${path}` });
const resolve = (id: string, payload: object) =>
  api.asOperator({ method: 'POST', url: `/operator/v1/reviews/${id}/resolve`, payload });

const accountId = `${companyId}-live`;
const address = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE';
const transfer = {
  ...{ address, transactionId: 'ab'.repeat(32), logIndex: 3, from: 'TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj' },
  ...{ amount: '115792089237316195423570985008687907853269984665640564039457584007913129.639935' },
  blockNumber: 70_000_000,
};

const ofInvoice = (change: Partial<InvoiceReviewView> = {}): InvoiceReviewView => ({
  ...{ id: randomId(), kind: 'invoice', companyId, environment: 'live', status: 'manual_review' },
  ...{ depositAmount: '100.00', fee: '1.50', creditAmount: '98.50', address, payAmount: '100.003127' },
  ...{ asset: 'USDT', network: 'TRON', expiresAt: '2026-01-01T01:00:00.000Z', createdAt: '2026-01-01T00:00:00.000Z' },
  ...{ reason: 'Paid after it had expired', since: '2026-01-01T02:00:00.000Z', depositId: randomId() },
  ...change,
});

const ofDeposit = (change: Partial<DepositReviewView> = {}): DepositReviewView => ({
  ...{ id: randomId(), kind: 'deposit', status: 'unmatched', reason: 'amount_unknown', ...transfer },
  ...{ since: '2026-01-01T02:00:00.000Z', createdAt: '2026-01-01T01:59:00.000Z' },
  ...change,
});

const owner = (change: Partial<InvoiceOwner> = {}): InvoiceOwner => ({
  ...{
    invoiceId: randomId(),
    companyId,
    environment: 'live',
    accountId,
    status: 'expired',
    depositAmount: '100.00',
    address,
  },
  ...change,
});

describe('Deposits', () => {
  const deposit = (change: Partial<DepositView> = {}): DepositView => ({
    ...{ id: randomId(), status: 'unmatched', ...transfer, blockTime: '2026-01-01T00:00:00.000Z', forReview: true },
    ...{ reason: 'amount_unknown', ...change },
  });

  it('are listed in pages, by the time of their blocks', async () => {
    api.views.deposits = [deposit(), deposit()];
    const { status, body } = await get('/deposits?limit=1&status=unmatched');
    expect([status, body['data']]).toEqual([200, [api.views.deposits[0]]]);
    await get(`/deposits?status=unmatched&cursor=${String(body['nextCursor'])}`);
    const { id, blockTime: createdAt } = api.views.deposits[0]!;
    const filter = { status: 'unmatched' };
    expect(api.views.queries).toMatchObject([
      { filter, page: { limit: 2 } },
      { filter, page: { limit: 51, after: { id, createdAt } } },
    ]);
  });

  it.each(['status=lost', 'address=T', 'limit=0'])('reject the filter %s', async (query) => {
    expect(await get(`/deposits?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('are for operators only', async () => {
    const response = await api.as({ scopes: ['funding:write'] }, { url: '/operator/v1/deposits' });
    expect(response.body).toMatchObject({ statusCode: 401, code: 'invalid_key' });
  });
});

describe('Reviews of every kind', () => {
  it('are returned unchanged', async () => {
    api.views.reviews = [ofInvoice(), ofDeposit({ invoiceId: randomId(), companyId, environment: 'live' })];
    expect((await get('/reviews')).body).toEqual({ data: api.views.reviews });
  });
});

describe('The review of an invoice', () => {
  it.each(['completed', 'failed'] as const)('is resolved as %s', async (outcome) => {
    const review = ofInvoice();
    api.views.reviews = [review];
    expect(await resolve(review.id, { outcome, note: ' So ' })).toMatchObject({ status: 200, body: { id: review.id } });
    expect(api.bus.last).toMatchObject({ context: 'invoicing', key: accountId });
    const data = { accountId, invoiceId: review.id, outcome, note: 'So', requestId: api.bus.last?.id, ...decidedBy };
    expect(api.bus.last?.command).toEqual({ type: 'ResolveInvoice', data });
  });

  it.each([
    ['not_found', 404, 'not_found'],
    ['wrong_status', 404, 'not_found'],
    ['review_resolved', 409, 'idempotency_conflict'],
  ])('maps the refusal %s to %i', async (refusal, status, code) => {
    const review = ofInvoice();
    api.views.reviews = [review];
    api.bus.refuse(refusal, 'The reason.');
    const response = await resolve(review.id, { outcome: 'failed', note: 'So' });
    expect(response).toMatchObject({ status, body: { code, message: 'The reason.' } });
  });

  it.each([{ last4: '4242' }, { receipt: 'R' }, { cardReference: 'crd' }, { invoiceId: randomId() }])(
    'rejects %j',
    async (extra) => {
      const review = ofInvoice();
      api.views.reviews = [review];
      const { body } = await resolve(review.id, { outcome: 'completed', note: 'So', ...extra });
      const [name] = Object.keys(extra);
      const message = `${name} does not apply to a review of the kind invoice: remove it.`;
      expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed', message });
      expect(api.bus.sent).toEqual([]);
    },
  );
});

describe('The review of a deposit', () => {
  it('is resolved for the invoice that it pays', async () => {
    const review = ofDeposit({ amount: '99.000000' });
    const invoice = owner();
    api.views.reviews = [review];
    api.views.invoiceOwners = [invoice];
    const decision = { outcome: 'completed', note: 'They wrote to us', invoiceId: invoice.invoiceId };
    expect(await resolve(review.id, decision)).toMatchObject({ status: 200, body: { id: review.id } });
    expect(api.bus.last).toMatchObject({ context: 'invoicing', key: address });
    expect(api.bus.last?.command).toEqual({
      type: 'ResolveDeposit',
      data: {
        ...{ address, depositId: review.id, ...decision, accountId, requestId: api.bus.last?.id, now: initialTime },
        ...decidedBy,
      },
    });
  });

  it('is resolved without an invoice', async () => {
    const review = ofDeposit();
    api.views.reviews = [review];
    expect((await resolve(review.id, { outcome: 'failed', note: 'Sent back' })).status).toBe(200);
    expect(api.bus.last?.command).toEqual({
      type: 'ResolveDeposit',
      data: {
        ...{ address, depositId: review.id, outcome: 'failed', note: 'Sent back' },
        ...{ requestId: api.bus.last?.id, now: initialTime, ...decidedBy },
      },
    });
  });

  it.each([
    ['deposit_unknown', 404, 'not_found'],
    ['deposit_resolved', 409, 'idempotency_conflict'],
    ['wrong_status', 400, 'validation_failed'],
  ])('maps the refusal %s to %i', async (refusal, status, code) => {
    const review = ofDeposit();
    api.views.reviews = [review];
    api.bus.refuse(refusal, 'The reason.');
    const response = await resolve(review.id, { outcome: 'failed', note: 'So' });
    expect(response).toMatchObject({ status, body: { code, message: 'The reason.' } });
  });

  const sandbox: Partial<InvoiceOwner> = { environment: 'sandbox' };
  it.each([
    ['no invoice', {}, { invoiceId: undefined }, 400, /^invoiceId is required/],
    ['an invoice that is lost', {}, { outcome: 'failed' }, 400, /^invoiceId does not apply to the outcome failed/],
    ['an unknown invoice', {}, { invoiceId: randomId() }, 404, /^There is no invoice/],
    ['a malformed id', {}, { invoiceId: 'nobody' }, 404, /^There is no invoice/],
    ['an invoice of the sandbox', sandbox, {}, 400, /^The deposit is live, invoice .* is sandbox/],
    ['the digits of a card', {}, { last4: '4242' }, 400, /^last4 does not apply to a review/],
  ] as const)('does not take %s', async (_name, invoice, change, status, message) => {
    const review = ofDeposit();
    const known = owner(invoice);
    api.views.reviews = [review];
    api.views.invoiceOwners = [known];
    const decision = { outcome: 'completed', note: 'So', invoiceId: known.invoiceId, ...change };
    const response = await resolve(review.id, decision);
    expect(response).toMatchObject({ status, body: { code: status === 404 ? 'not_found' : 'validation_failed' } });
    expect(response.body['message']).toMatch(message);
    expect(api.bus.sent).toEqual([]);
  });
});
