import type { InvoiceAnswer } from '@florin/invoicing-domain';
import { deterministicId, randomId, sha256 } from '@florin/kernel';
import type { ApiKeyView } from '@florin/read-models';
import { accountId, companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';
import { FundingApiModule } from '../funding-api.module';

const api = new OperationsApp([FundingApiModule]);

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  api.views.queries.length = 0;
  api.views.invoices = [];
  api.acceptedRequests.clear();
});

const writer: Partial<ApiKeyView> = { scopes: ['funding:write'] };
const path = '/api/v1/card-account/invoices';
const invoiceId = (key = 'one', company = companyId, environment = 'sandbox') =>
  deterministicId(company, environment, `POST ${path}`, key);

const invoice = (change: Partial<InvoiceAnswer> = {}): InvoiceAnswer => ({
  id: invoiceId(),
  environment: 'sandbox',
  status: 'pending',
  depositAmount: '100.00',
  fee: '1.50',
  creditAmount: '98.50',
  address: 'TestSandboxAddress',
  payAmount: '100.003127',
  asset: 'USDT',
  network: 'TRON',
  expiresAt: '2026-01-01T01:00:00.000Z',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...change,
});

const post = (
  payload: object,
  key = writer,
  headers: Record<string, string | undefined> = { 'idempotency-key': 'one' },
) => api.as(key, { method: 'POST', url: path, payload, headers });

describe('POST /card-account/invoices', () => {
  it.each(['100', '100.0', '100.00', '0100'])('sends the command for %s and returns the invoice', async (amount) => {
    api.bus.accept(invoice());
    const { status, headers, body } = await post({ amount });
    expect(status).toBe(201);
    expect(headers['location']).toBe(`${path}/${invoiceId()}`);
    expect(headers).not.toHaveProperty('idempotent-replayed');
    expect(body).toEqual(invoice());
    expect(api.bus.last).toMatchObject({ context: 'invoicing', key: accountId, id: invoiceId() });
    expect(api.bus.last?.command).toEqual({
      type: 'RequestInvoice',
      data: {
        ...{ invoiceId: invoiceId(), companyId, environment: 'sandbox', accountId, amount: '100.00' },
        paymentUrl: expect.stringMatching(/^https:\/\/florin\.example\/pay\/[\w-]{32}$/) as string,
        fingerprint: sha256('{"amount":"100.00"}'),
      },
    });
  });

  it('returns the metadata as given', async () => {
    const metadata = { order: '4711', 'a [key] "quoted"': '', Ödön: 'x'.repeat(500) };
    api.bus.accept(invoice());
    expect(await post({ amount: '100', metadata })).toMatchObject({ status: 201, body: invoice({ metadata }) });
    expect(api.bus.last?.command).toMatchObject({ data: { metadata } });
    expect((await post({ amount: '100', metadata: {} })).body).toEqual(invoice({ metadata: {} }));
  });

  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, 'v']));
  it('accepts at most 20 keys of 1 to 40 characters, with strings of at most 500', async () => {
    api.bus.accept(invoice());
    for (const metadata of [pairs(20), { ['k'.repeat(40)]: 'x'.repeat(500) }]) {
      expect((await post({ amount: '100', metadata })).status).toBe(201);
    }
    for (const [metadata, message] of [
      [pairs(21), 'metadata must have at most 20 keys.'],
      [{ '': 'v' }, /key of 1 to 40 characters/],
      [{ ['k'.repeat(41)]: 'v' }, /key of 1 to 40 characters/],
      [{ order: 'x'.repeat(501) }, 'metadata.order must have at most 500 characters.'],
      [{ order: 7 }, 'metadata.order must be a string.'],
      [{ order: null }, 'metadata.order must be a string.'],
      [{ order: 'a\0' }, /U\+0000/],
      [{ order: '\ud800' }, /lone surrogates/],
      [['v'], 'metadata must be a JSON object of strings.'],
      ['v', 'metadata must be a JSON object of strings.'],
    ] as const) {
      const { body } = await post({ amount: '100', metadata });
      expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
      expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    }
  });

  it('marks a repeated response as replayed', async () => {
    api.bus.accept(invoice(), true);
    const { status, headers, body } = await post({ amount: '100' });
    expect([status, headers['idempotent-replayed'], body['status']]).toEqual([201, 'true', 'pending']);
    expect(headers['location']).toBe(`${path}/${invoiceId()}`);
  });

  describe('with a key that was accepted long ago', () => {
    const failed = invoice({ status: 'failed', address: null, payAmount: null, expiresAt: null });
    const settlement = { transactionId: 'ab', blockNumber: 7, blockTime: '2026-01-01T00:30:00.000Z' };
    beforeEach(() => {
      api.acceptedRequests.set(invoiceId(), { fingerprint: sha256('{"amount":"100.00"}'), reply: null });
    });

    it.each([
      [invoice({ status: 'completed', settlement }), invoice()],
      [invoice({ status: 'expired' }), invoice()],
      [failed, failed],
    ])('returns the original response without a command', async (current, original) => {
      api.views.invoices = [current];
      const { status, headers, body } = await post({ amount: '100' });
      expect([status, headers['idempotent-replayed'], body]).toEqual([201, 'true', original]);
      expect(headers['location']).toBe(`${path}/${invoiceId()}`);
      expect(api.bus.sent).toEqual([]);
    });

    it('returns the original expiry of an invoice that was canceled since', async () => {
      const { expiresAt } = invoice();
      api.acceptedRequests.set(invoiceId(), { fingerprint: sha256('{"amount":"100.00"}'), reply: { expiresAt } });
      api.views.invoices = [invoice({ status: 'expired', expiresAt: '2026-01-01T00:10:00.000Z' })];
      expect(await post({ amount: '100' })).toMatchObject({ status: 201, body: invoice() });
    });

    it('rejects a different body', async () => {
      expect(await post({ amount: '101' })).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
      expect(api.bus.sent).toEqual([]);
    });

    it('continues an interrupted creation', async () => {
      api.views.invoices = [invoice({ status: 'creating', address: null, payAmount: null, expiresAt: null })];
      api.bus.accept(invoice(), true);
      expect(await post({ amount: '100' })).toMatchObject({ status: 201, body: invoice() });
      expect(api.bus.sent).toHaveLength(1);
    });
  });

  it('keeps amounts exact with eighteen digits', async () => {
    const large = { depositAmount: '999999999999.00', payAmount: '999999999999.009999' };
    api.bus.accept(invoice(large));
    expect((await post({ amount: '999999999999' })).body).toMatchObject(large);
    expect(api.bus.last?.command).toMatchObject({ data: { amount: '999999999999.00' } });
  });

  it('returns an invoice without a pay address', async () => {
    const failed = invoice({ status: 'failed', address: null, payAmount: null, expiresAt: null });
    api.bus.accept(failed);
    expect(await post({ amount: '100' })).toMatchObject({ status: 201, body: failed });
  });

  it('derives a different command id per company and environment', async () => {
    const stranger = randomId();
    api.bus.accept(invoice());
    await post({ amount: '100' }, { ...writer, companyId: stranger });
    await post({ amount: '100' }, { ...writer, environment: 'live', activations: ['direct_invoices'] });
    expect(api.bus.sent.map(({ id, key }) => [id, key])).toEqual([
      [invoiceId('one', stranger), `${stranger}-sandbox`],
      [invoiceId('one', companyId, 'live'), `${companyId}-live`],
    ]);
  });

  it.each([
    ['idempotency_conflict', 409],
    ['amount_below_minimum', 400],
    ['unresolved_invoice_exists', 400],
  ])('maps the refusal %s to %i', async (code, status) => {
    api.bus.refuse(code, 'The reason.');
    expect(await post({ amount: '100' })).toMatchObject({
      status,
      body: { statusCode: status, code, message: 'The reason.' },
    });
  });

  it.each([
    ['no amount', {}, 'amount is required.'],
    ['cents', { amount: '100.01' }, 'amount must be whole US dollars, such as "100" or "100.00".'],
    ['ten cents', { amount: '100.1' }, 'amount must be whole US dollars, such as "100" or "100.00".'],
    ['a number', { amount: 100 }, 'amount must be a decimal string such as "10.00", not a JSON number.'],
    ['more decimals', { amount: '100.000' }, /at most two decimals/],
    ['a sign', { amount: '-100' }, /at most two decimals/],
    ['an exponent', { amount: '1e3' }, /at most two decimals/],
    ['thirteen digits', { amount: '1000000000000' }, 'amount must have at most 12 digits before the point.'],
    ['an unknown field', { amount: '100', asset: 'USDT' }, 'Unknown field asset: remove it.'],
  ])('rejects %s', async (_name, payload, message) => {
    const { body } = await post(payload);
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    expect(api.bus.sent).toEqual([]);
  });

  it('requires an idempotency key', async () => {
    const { body } = await post({ amount: '100' }, writer, {});
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toMatch(/Idempotency-Key is required/);
  });
});

describe('GET /card-account/invoices/{id}', () => {
  const read = (id: string, scopes: ApiKeyView['scopes']) => api.as({ scopes }, { url: `${path}/${id}` });

  it.each(['funding:read', 'funding:write'] as const)('shows the invoice to a key with %s', async (scope) => {
    const found = invoice({ status: 'completed' });
    api.views.invoices = [found];
    expect(await read(found.id, [scope])).toMatchObject({ status: 200, body: found });
    expect(api.views.queries).toEqual([{ owner: { companyId, environment: 'sandbox' } }]);
  });

  it('requires one of these scopes', async () => {
    expect((await read(invoiceId(), ['balance:read'])).body).toMatchObject({ code: 'scope_missing' });
  });

  it.each([randomId(), 'unknown'])('returns 404 for %s', async (id) => {
    expect(await read(id, ['funding:read'])).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('GET /card-account/invoices', () => {
  const list = (query = '', key: Partial<ApiKeyView> = { scopes: ['funding:read'] }) =>
    api.as(key, { url: `${path}${query}` });
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      invoice({ id: randomId(), createdAt: `2026-01-01T00:00:00.${String(999 - index)}Z` }),
    );

  it('returns 50 items and a cursor if there are more', async () => {
    api.views.invoices = rows(51);
    const { status, body } = await list();
    expect([status, body['data']]).toEqual([200, api.views.invoices.slice(0, 50)]);
    const owner = { companyId, environment: 'sandbox' };
    expect(api.views.queries).toEqual([{ owner, filter: {}, page: { limit: 51, after: undefined } }]);
    await list(`?cursor=${String(body['nextCursor'])}`);
    const { createdAt, id } = api.views.invoices[49]!;
    expect(api.views.queries.at(-1)).toMatchObject({ page: { limit: 51, after: { createdAt, id } } });
    api.views.invoices = rows(2);
    expect(Object.keys((await list('?limit=2')).body)).toEqual(['data']);
  });

  it('applies every filter, with times in UTC', async () => {
    await list('?status=manual_review&createdFrom=2026-01-01T01:00:00%2B01:00&createdTo=2026-01-02T00:00:00Z&limit=1');
    const filter = {
      ...{ status: 'manual_review', createdFrom: '2026-01-01T00:00:00.000Z', createdTo: '2026-01-02T00:00:00.000Z' },
    };
    expect(api.views.queries).toMatchObject([{ filter, page: { limit: 2 } }]);
  });

  it('filters by metadata', async () => {
    const query = new URLSearchParams({ 'metadata[order]': '4711', 'metadata[a [key]]': '', status: 'pending' });
    expect((await list(`?${query.toString()}`)).status).toBe(200);
    expect((await list('?metadata[__proto__]=x')).status).toBe(200);
    const filters = api.views.queries.map(({ filter }) => JSON.stringify(filter));
    expect(JSON.parse(filters[0]!)).toEqual({ status: 'pending', metadata: { order: '4711', 'a [key]': '' } });
  });

  it.each(['metadata[order]=1&metadata[order]=2', 'metadata[]=x', 'metadata=x', 'metadata[o]=' + 'x'.repeat(501)])(
    'rejects %s',
    async (query) => {
      expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(api.views.queries).toEqual([]);
    },
  );

  it('rejects a cursor of other filters or another company', async () => {
    api.views.invoices = rows(2);
    const next = `cursor=${String((await list('?limit=1&status=pending')).body['nextCursor'])}`;
    expect((await list(`?limit=5&status=pending&${next}`)).status).toBe(200);
    const stranger = { scopes: ['funding:read'], companyId: randomId() } as const;
    for (const refused of [list(`?status=expired&${next}`), list(`?status=pending&${next}`, stranger)]) {
      expect((await refused).body).toMatchObject({ code: 'validation_failed' });
    }
  });

  it.each(['status=done', 'createdFrom=yesterday', 'createdTo=2026-01-01', 'address=T', 'limit=101'])(
    'rejects %s',
    async (query) => {
      expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(api.views.queries).toEqual([]);
    },
  );

  it('requires funding:read or funding:write', async () => {
    expect((await list('', { scopes: ['balance:read'] })).body).toMatchObject({ code: 'scope_missing' });
    expect((await list('', writer)).status).toBe(200);
  });
});

describe('POST /card-account/invoices/{id}/cancel', () => {
  const cancel = (id: string, key = writer, request: object = {}) =>
    api.as(key, { method: 'POST', url: `${path}/${id}/cancel`, ...request });
  const withKey = { headers: { 'idempotency-key': 'once' } };
  const canceled = invoice({ expiresAt: '2026-01-01T00:10:00.000Z' });

  it('sends the command with the current time and returns the invoice', async () => {
    api.bus.accept(canceled);
    const { status, headers, body } = await cancel(invoiceId());
    expect([status, body]).toEqual([200, canceled]);
    expect(headers).not.toHaveProperty('idempotent-replayed');
    const { id, key, command } = api.bus.last!;
    expect(key).toBe(accountId);
    const data = { accountId, invoiceId: invoiceId(), requestId: id, canceledAt: initialTime };
    expect(command).toEqual({ type: 'CancelInvoice', data });
  });

  it('returns the metadata of the invoice', async () => {
    const metadata = { order: '4711' };
    api.views.invoices = [invoice({ metadata })];
    api.bus.accept(canceled);
    expect((await cancel(invoiceId())).body).toEqual({ ...canceled, metadata });
  });

  it('marks the response as replayed if nothing changed', async () => {
    api.bus.accept(canceled, true);
    expect((await cancel(invoiceId())).headers['idempotent-replayed']).toBe('true');
  });

  it('returns the first response to a repeat with the same key, even after the end of the invoice', async () => {
    api.bus.accept(canceled);
    await cancel(invoiceId(), writer, withKey);
    const reply = { expiresAt: canceled.expiresAt };
    api.acceptedRequests.set(api.bus.last!.id, { fingerprint: null, reply });
    api.views.invoices = [{ ...canceled, status: 'expired' }];
    const { status, headers, body } = await cancel(invoiceId(), writer, withKey);
    expect([status, headers['idempotent-replayed'], body]).toEqual([200, 'true', canceled]);
    expect(api.bus.sent).toHaveLength(1);
  });

  it.each([
    ['not_found', 404, 'not_found'],
    ['wrong_status', 400, 'validation_failed'],
  ])('maps the refusal %s to %i', async (refusal, status, code) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await cancel(invoiceId())).toMatchObject({ status, body: { code, message: 'The reason.' } });
  });

  it.each([
    ['a key that may only read', 'scope_missing', { scopes: ['funding:read'] }, {}],
    ['a body', 'validation_failed', writer, { payload: { expiresAt: '2026-01-01T00:00:00.000Z' } }],
  ] as const)('rejects %s', async (_name, code, key, request) => {
    expect((await cancel(invoiceId(), key as Partial<ApiKeyView>, request)).body).toMatchObject({ code });
    expect(api.bus.sent).toEqual([]);
  });
});

describe('POST /sandbox/invoices/{id}/complete', () => {
  const complete = (id: string, key = writer, request: object = {}) =>
    api.as(key, { method: 'POST', url: `/api/v1/sandbox/invoices/${id}/complete`, ...request });

  it('pays the invoice and returns its new state', async () => {
    api.bus.accept(invoice({ status: 'completed' }));
    const { status, headers, body } = await complete(invoiceId());
    expect([status, body]).toEqual([200, invoice({ status: 'completed' })]);
    expect(headers).not.toHaveProperty('idempotent-replayed');
    expect(api.bus.last).toMatchObject({ context: 'invoicing', key: accountId });
    expect(api.bus.last?.command).toEqual({ type: 'PaySandboxInvoice', data: { accountId, invoiceId: invoiceId() } });
  });

  it('returns the metadata of the invoice', async () => {
    const metadata = { order: '4711' };
    api.views.invoices = [invoice({ metadata })];
    api.bus.accept(invoice({ status: 'completed' }));
    expect((await complete(invoiceId())).body).toEqual(invoice({ status: 'completed', metadata }));
  });

  it('marks the response as replayed if the invoice was already paid', async () => {
    api.bus.accept(invoice({ status: 'completed' }), true);
    expect((await complete(invoiceId())).headers['idempotent-replayed']).toBe('true');
  });

  it('returns an invoice that was completed long ago without a command', async () => {
    api.views.invoices = [invoice({ status: 'completed' })];
    const { status, headers, body } = await complete(invoiceId());
    expect([status, headers['idempotent-replayed'], body]).toEqual([200, 'true', invoice({ status: 'completed' })]);
    expect(api.bus.sent).toEqual([]);
  });

  it('derives the command id from the idempotency key', async () => {
    api.bus.accept(invoice({ status: 'completed' }));
    for (const key of ['a', 'a', 'b']) await complete(invoiceId(), writer, { headers: { 'idempotency-key': key } });
    const [first, again, other] = api.bus.sent.map(({ id }) => id);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each([
    ['not_found', 404, 'not_found'],
    ['wrong_status', 400, 'validation_failed'],
  ])('maps the refusal %s to %i', async (refusal, status, code) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await complete(invoiceId())).toMatchObject({ status, body: { code, message: 'The reason.' } });
  });

  it.each([
    ['a live key', 'sandbox_only', { ...writer, environment: 'live' }, {}],
    ['a key that may only read', 'scope_missing', { scopes: ['funding:read'] }, {}],
    ['a body', 'validation_failed', writer, { payload: { transactionId: 'ab' } }],
  ] as const)('rejects %s', async (_name, code, key, request) => {
    expect((await complete(invoiceId(), key as Partial<ApiKeyView>, request)).body).toMatchObject({ code });
    expect(api.bus.sent).toEqual([]);
  });

  it('returns 404 for a malformed id', async () => {
    expect(await complete('unknown')).toMatchObject({ status: 404 });
  });
});
