import { randomUUID } from 'node:crypto';
import { type Account, codeOf, expectBody, type Invoice } from './harness/account';
import { Operator } from './harness/operator';
import { Florin, sharedFlorin } from './harness/florin';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('invoices in the sandbox', () => {
  let operator: Operator;

  beforeAll(async () => {
    operator = new Operator(await sharedFlorin());
  });

  const complete = (account: Account, id: string) => account.post(`/api/v1/sandbox/invoices/${id}/complete`);

  it('return all payment instructions', async () => {
    const account = await operator.newAccount();
    const response = await account.requestInvoice({ amount: '11' });
    const invoice = expectBody<Invoice>(response, 201);
    expect(response.headers.get('location')).toBe(`/api/v1/card-account/invoices/${invoice.id}`);
    expect(invoice).toEqual({
      id: expect.any(String),
      environment: 'sandbox',
      status: 'pending',
      depositAmount: '11.00',
      fee: '0.17',
      creditAmount: '10.83',
      address: expect.stringMatching(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
      payAmount: expect.stringMatching(/^11\.00(?!0000)\d{4}$/),
      asset: 'USDT',
      network: 'TRON',
      expiresAt: expect.stringMatching(instant),
      createdAt: expect.stringMatching(instant),
      paymentUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/pay\/[\w-]{32}$/),
    });
    const page = await fetch(invoice.paymentUrl);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(invoice.payAmount)]);
    expect(Date.parse(invoice.expiresAt) - Date.parse(invoice.createdAt)).toBe(3_600_000);
    expect(await account.invoice(invoice.id)).toEqual(invoice);
    expect(await account.list('/api/v1/card-account/invoices')).toEqual({ data: [invoice] });
  });

  it('are credited once when paid, with a separate entry for the fee', async () => {
    const account = await operator.newAccount();
    const { id } = await account.newInvoice('11.00');
    const paid = await Promise.all(Array.from({ length: 10 }, () => complete(account, id)));
    for (const response of paid) expect(expectBody<Invoice>(response, 200)).toMatchObject({ id, status: 'completed' });
    expect(await account.funds()).toEqual(['10.83', '0.00']);
    expect(await account.entries(id)).toMatchObject([
      { kind: 'deposit', amount: '11.00', balance: '11.00' },
      { kind: 'fee', amount: '-0.17', balance: '10.83' },
    ]);
    expect(await account.invoice(id)).toMatchObject({ status: 'completed' });
    expect(await account.newInvoice()).toMatchObject({ status: 'pending' });
  });

  it('expire once they are canceled, and then another one can be requested', async () => {
    const account = await operator.newAccount();
    const { id, expiresAt } = await account.newInvoice();
    const canceled = expectBody<Invoice>(await account.cancelInvoice(id), 200);
    expect(Date.parse(canceled.expiresAt)).toBeLessThan(Date.parse(expiresAt));
    expect(await account.untilInvoice(id, 'expired')).toEqual({ ...canceled, status: 'expired' });
    expect(codeOf(await account.cancelInvoice(id))).toEqual([400, 'validation_failed']);
    expect(codeOf(await complete(account, id))).toEqual([400, 'validation_failed']);
    expect(await account.newInvoice()).toMatchObject({ status: 'pending' });
  });

  it('return the original response for a repeated request, also after the payment', async () => {
    const account = await operator.newAccount();
    const key = randomUUID();
    const first = await account.requestInvoice({ amount: '100' }, key);
    const invoice = expectBody<Invoice>(first, 201);
    expectBody(await complete(account, invoice.id), 200);
    const again = await account.requestInvoice({ amount: '100.00' }, key);
    expect(expectBody<Invoice>(again, 201)).toEqual(invoice);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(codeOf(await account.requestInvoice({ amount: '101' }, key))).toEqual([409, 'idempotency_conflict']);
  });

  it('allow one unresolved invoice at a time, also for concurrent requests', async () => {
    const account = await operator.newAccount();
    const responses = await Promise.all(Array.from({ length: 20 }, () => account.requestInvoice({ amount: '50' })));
    const accepted = responses.filter(({ status }) => status === 201);
    expect(accepted).toHaveLength(1);
    for (const response of responses) {
      if (response !== accepted[0]) expect(codeOf(response)).toEqual([400, 'unresolved_invoice_exists']);
    }
    expect((await account.list('/api/v1/card-account/invoices')).data).toHaveLength(1);
  });

  it.each([
    [{ amount: '9' }, 'amount_below_minimum'],
    [{ amount: '9.99' }, 'validation_failed'],
    [{ amount: '10.50' }, 'validation_failed'],
    [{ amount: 100 }, 'validation_failed'],
    [{}, 'validation_failed'],
    [{ amount: '100', transactionId: 'ab'.repeat(32) }, 'validation_failed'],
  ])('are rejected as %j', async (body, code) => {
    const account = await operator.newAccount();
    expect(codeOf(await account.requestInvoice(body))).toEqual([400, code]);
    expect(await account.newInvoice('10')).toMatchObject({ status: 'pending', depositAmount: '10.00' });
  });

  it('are visible to their own company only', async () => {
    const [account, stranger] = [await operator.newAccount(), await operator.newAccount()];
    const { id } = await account.newInvoice();
    const path = `/api/v1/card-account/invoices/${id}`;
    expect(codeOf(await stranger.get(path))).toEqual([404, 'not_found']);
    expect(codeOf(await complete(stranger, id))).toEqual([404, 'not_found']);
    expect(await stranger.list('/api/v1/card-account/invoices')).toEqual({ data: [] });
    expect(await account.invoice(id)).toMatchObject({ status: 'pending' });
  });

  it('require the funding scopes', async () => {
    const companyId = await operator.newCompany();
    const reader = await operator.newKey(companyId, 'sandbox', ['funding:read']);
    const outsider = await operator.newKey(companyId, 'sandbox', ['balance:read']);
    expect(codeOf(await reader.requestInvoice({ amount: '100' }))).toEqual([403, 'scope_missing']);
    expect(codeOf(await outsider.get('/api/v1/card-account/invoices'))).toEqual([403, 'scope_missing']);
    expect(await reader.list('/api/v1/card-account/invoices')).toEqual({ data: [] });
  });

  it('are unavailable in live without a chain', async () => {
    const live = await operator.newKey(await operator.newCompany({ activations: ['direct_invoices'] }), 'live');
    expect(codeOf(await live.requestInvoice({ amount: '100' }))).toEqual([403, 'capability_inactive']);
    expect(codeOf(await complete(live, randomUUID()))).toEqual([400, 'sandbox_only']);
  });
});

describe('unpaid invoices', () => {
  let florin: Florin;

  beforeAll(async () => {
    florin = await Florin.start({ env: { INVOICE_LIFETIME_SECONDS: '1' } });
  });

  afterAll(async () => {
    expect(await florin.stop()).toBe(0);
    florin.removeData();
  });

  it('expire and allow new ones', async () => {
    const account = await new Operator(florin).newAccount();
    const { id } = await account.newInvoice();
    await account.untilInvoice(id, 'expired');
    const late = await account.post(`/api/v1/sandbox/invoices/${id}/complete`);
    expect(codeOf(late)).toEqual([400, 'validation_failed']);
    expect(await account.newInvoice()).toMatchObject({ status: 'pending' });
    expect(await account.funds()).toEqual(['0.00', '0.00']);
  });
});
