import type { SettleBlocks } from '@florin/invoicing-domain';
import { randomId, serviceActor } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import type { ApiKeyView } from '@florin/read-models';
import { type FundingGateway, startFundingGateway, treasury } from '../../testing/funding-gateway';
import { operatorToken } from '../../testing/test-app';

let gateway: FundingGateway;

beforeAll(async () => {
  gateway = await startFundingGateway();
});
afterAll(() => gateway.close());

type Body = Record<string, unknown>;

interface Invoice {
  readonly id: string;
  readonly status: string;
  readonly payAmount: string;
  readonly address: string;
  readonly paymentUrl: string;
  readonly settlement?: object;
}

async function send<Answer = Body>(
  method: 'GET' | 'POST',
  url: string,
  bearer: string,
  payload?: object,
  key?: string,
) {
  const headers = { authorization: `Bearer ${bearer}`, ...(key !== undefined && { 'idempotency-key': key }) };
  const {
    statusCode: status,
    headers: responseHeaders,
    body,
  } = await gateway.app.inject({ method, url, headers, payload });
  return { status, headers: responseHeaders, body: JSON.parse(body) as Answer };
}

/** A new company and its key. */
const company = (environment: 'sandbox' | 'live' = 'sandbox') =>
  gateway.keys.add({
    ...{ companyId: randomId(), environment, activations: ['direct_invoices'] },
    scopes: ['funding:write', 'balance:read'],
  } satisfies Partial<ApiKeyView>);

const path = '/api/v1/card-account/invoices';
const createInvoice = (bearer: string, amount = '100', key = randomId()) =>
  send<Invoice>('POST', path, bearer, { amount }, key);
const read = async (bearer: string, id: string) => (await send<Invoice>('GET', `${path}/${id}`, bearer)).body;
const complete = (bearer: string, id: string) =>
  send<Invoice>('POST', `/api/v1/sandbox/invoices/${id}/complete`, bearer);
const cancel = (bearer: string, id: string, key?: string) =>
  send<Invoice>('POST', `${path}/${id}/cancel`, bearer, undefined, key);
const balanceOf = async (bearer: string) => (await send('GET', '/api/v1/balance', bearer)).body['balance'];
const operator = <Answer = Body>(method: 'GET' | 'POST', url: string, payload?: object) =>
  send<Answer>(method, `/operator/v1${url}`, operatorToken, payload);

let blocks = 0;

/** Confirms a transfer to the treasury, with all blocks read up to its time. */
async function arrive(amount: string, seconds = 0, time?: Date): Promise<void> {
  gateway.clock.advance(seconds * 1_000);
  const blockTime = (time ?? gateway.clock.now()).toISOString();
  const transfer = {
    ...{ transactionId: (++blocks).toString(16).padStart(64, '0'), logIndex: 0, from: 'TSender', to: treasury },
    ...{ amount, blockNumber: blocks, blockTime },
  };
  const command: SettleBlocks = { type: 'SettleBlocks', data: { transfers: [transfer], toBlockTime: blockTime } };
  const headers = { correlationId: 'chain', causationId: 'chain', actor: serviceActor('test') };
  await gateway.bus.request({ context: 'invoicing', key: 'chain', id: randomId(), command, headers });
}

/** The process manager runs asynchronously. */
async function untilStatus(bearer: string, id: string, status: string): Promise<Invoice> {
  await until(async () => (await read(bearer, id)).status === status);
  return read(bearer, id);
}

describe('A sandbox invoice', () => {
  it('is credited once when it is completed twice', async () => {
    const bearer = company();
    const { status, headers, body } = await createInvoice(bearer, '11');
    expect([status, headers['location']]).toEqual([201, `${path}/${body.id}`]);
    expect(body).toMatchObject({ environment: 'sandbox', status: 'pending', fee: '0.17', creditAmount: '10.83' });
    expect(body.payAmount).toMatch(/^11\.00\d{4}$/);
    expect(await read(bearer, body.id)).toEqual(body);
    const { body: completed } = await complete(bearer, body.id);
    const settlement = {
      transactionId: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      ...{ blockNumber: 0, blockTime: gateway.clock.now().toISOString() },
    };
    expect(completed).toEqual({ ...body, status: 'completed', settlement });
    expect(await balanceOf(bearer)).toBe('10.83');
    const again = await complete(bearer, body.id);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(await balanceOf(bearer)).toBe('10.83');
    expect(await read(bearer, body.id)).toEqual(completed);
  });

  it('returns the original response for the same key, even if the invoice has changed', async () => {
    const bearer = company();
    const first = await createInvoice(bearer, '100', 'one');
    await complete(bearer, first.body.id);
    const again = await createInvoice(bearer, '100.00', 'one');
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
    expect(await createInvoice(bearer, '101', 'one')).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    });
  });

  it('has a page for the payer from the first moment, without a key', async () => {
    const bearer = company();
    const { body } = await createInvoice(bearer, '100', 'page');
    const { pathname } = new URL(body.paymentUrl);
    const page = await gateway.app.inject({ url: pathname });
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining(body.payAmount)]);
    expect(page.body).toContain(body.address);
    for (const hidden of [body.id, '1.50', '98.50']) expect(page.body).not.toContain(hidden);
    expect((await createInvoice(bearer, '100', 'page')).body.paymentUrl).toBe(body.paymentUrl);
    expect(await read(bearer, body.id)).toEqual(body);
  });

  it('has its metadata in every response, and is found by it', async () => {
    const bearer = company();
    const metadata = { order: '4711', shop: 'Ödön' };
    const create = () => send<Invoice>('POST', path, bearer, { amount: '100', metadata }, 'metadata');
    const { body } = await create();
    expect(body).toMatchObject({ metadata });
    expect(await read(bearer, body.id)).toEqual(body);
    expect((await complete(bearer, body.id)).body).toMatchObject({ status: 'completed', metadata });
    expect((await create()).body).toEqual(body);
    await createInvoice(bearer);
    const found = async (query: string) => (await send<{ data: Invoice[] }>('GET', `${path}?${query}`, bearer)).body;
    expect(await found('metadata[order]=4711')).toMatchObject({ data: [{ id: body.id }] });
    const both = 'metadata[order]=4711&metadata[shop]=%C3%96d%C3%B6n&status=completed&limit=1';
    expect(await found(both)).toMatchObject({ data: [{ id: body.id, metadata }] });
    for (const other of [
      'metadata[order]=4712',
      'metadata[order]=4711&metadata[x]=',
      'metadata[order]=4711&status=pending',
    ]) {
      expect(await found(other)).toEqual({ data: [] });
    }
    expect((await send('GET', `${path}?metadata[order]=4711`, company())).body).toEqual({ data: [] });
  });

  it('is limited to one unresolved invoice per company', async () => {
    const [bearer, other] = [company(), company()];
    const { body } = await createInvoice(bearer);
    expect(await createInvoice(bearer)).toMatchObject({ status: 400, body: { code: 'unresolved_invoice_exists' } });
    expect(await createInvoice(other)).toMatchObject({ status: 201 });
    await complete(bearer, body.id);
    expect(await createInvoice(bearer)).toMatchObject({ status: 201 });
  });

  it('has a minimum amount', async () => {
    for (const amount of ['0', '9', '9.00']) {
      expect(await createInvoice(company(), amount)).toMatchObject({
        status: 400,
        body: { code: 'amount_below_minimum' },
      });
    }
    expect(await createInvoice(company(), '9.99')).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await createInvoice(company(), '10')).toMatchObject({ status: 201 });
  });

  it('has an exact pay amount at the maximum', async () => {
    const { body } = await createInvoice(company(), '999999999999');
    expect(body.payAmount).toMatch(/^999999999999\.00\d{4}$/);
  });

  it('cannot be read, listed or paid by another company', async () => {
    const [bearer, other] = [company(), company()];
    const { body } = await createInvoice(bearer);
    expect(await send('GET', `${path}/${body.id}`, other)).toMatchObject({ status: 404 });
    expect((await send('GET', path, other)).body).toEqual({ data: [] });
    expect(await complete(other, body.id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await read(bearer, body.id)).toMatchObject({ status: 'pending' });
  });

  it('cannot be paid after it expires', async () => {
    const bearer = company();
    const { body } = await createInvoice(bearer);
    gateway.clock.advance(3_600_000);
    expect(await complete(bearer, body.id)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await untilStatus(bearer, body.id, 'expired')).toMatchObject({ status: 'expired' });
    expect(await complete(bearer, body.id)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await createInvoice(bearer)).toMatchObject({ status: 201 });
  });
});

describe('A live invoice', () => {
  it('is paid by exactly its amount', async () => {
    const bearer = company('live');
    const { body } = await createInvoice(bearer);
    expect(body).toMatchObject({ environment: 'live', address: treasury });
    await arrive(body.payAmount);
    const settlement = {
      transactionId: blocks.toString(16).padStart(64, '0'),
      ...{ blockNumber: blocks, blockTime: gateway.clock.now().toISOString() },
    };
    expect(await untilStatus(bearer, body.id, 'completed')).toEqual({ ...body, status: 'completed', settlement });
    expect(await balanceOf(bearer)).toBe('98.50');
    const { body: deposits } = await operator<{ data: Body[] }>('GET', '/deposits?status=matched&limit=1');
    expect(deposits.data).toMatchObject([
      { amount: body.payAmount, invoiceId: body.id, environment: 'live', late: false },
    ]);
  });

  it('goes to review if it is paid late, and is resolved once', async () => {
    const bearer = company('live');
    const { body } = await createInvoice(bearer);
    await arrive(body.payAmount, 3_600);
    expect(await untilStatus(bearer, body.id, 'manual_review')).toMatchObject({ status: 'manual_review' });
    const { body: reviews } = await operator<{ data: Body[] }>('GET', '/reviews');
    expect(reviews.data).toMatchObject([{ id: body.id, kind: 'invoice', payAmount: body.payAmount }]);
    const decide = (outcome: string) =>
      operator('POST', `/reviews/${body.id}/resolve`, { outcome, note: 'It arrived' });
    const decided = { kind: 'invoice', status: 'completed', resolution: { outcome: 'completed', note: 'It arrived' } };
    expect(await decide('completed')).toMatchObject({ status: 200, body: decided });
    expect(await decide('completed')).toMatchObject({ status: 200, body: decided });
    expect(await decide('failed')).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(await balanceOf(bearer)).toBe('98.50');
    expect((await operator('GET', '/reviews')).body).toEqual({ data: [] });
  });

  it('is not paid by a different amount until an operator assigns the deposit', async () => {
    const [bearer, sandbox] = [company('live'), company()];
    const { body } = await createInvoice(bearer);
    await arrive('100.000000');
    const { body: reviews } = await operator<{ data: { id: string }[] }>('GET', '/reviews');
    expect(reviews.data).toMatchObject([{ kind: 'deposit', amount: '100.000000', reason: 'amount_unknown' }]);
    const [{ id }] = reviews.data as [{ id: string }];
    const decide = (decision: object) =>
      operator('POST', `/reviews/${id}/resolve`, { note: 'They wrote', ...decision });

    const { body: play } = await createInvoice(sandbox);
    expect(await decide({ outcome: 'completed', invoiceId: play.id })).toMatchObject({ status: 400 });
    expect(await decide({ outcome: 'completed', invoiceId: randomId() })).toMatchObject({ status: 404 });
    expect(await read(bearer, body.id)).toMatchObject({ status: 'pending' });

    const pays = { outcome: 'completed', invoiceId: body.id };
    const decided = { kind: 'deposit', status: 'resolved', resolution: pays };
    expect(await decide(pays)).toMatchObject({ status: 200, body: decided });
    expect(await read(bearer, body.id)).toMatchObject({ status: 'completed' });
    expect(await decide(pays)).toMatchObject({ status: 200, body: decided });
    expect(await decide({ outcome: 'failed' })).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(await balanceOf(bearer)).toBe('98.50');
  });

  it('sends a second deposit to review and cannot be settled again', async () => {
    const bearer = company('live');
    const { body } = await createInvoice(bearer);
    await arrive(body.payAmount);
    await untilStatus(bearer, body.id, 'completed');
    await arrive(body.payAmount);
    const { body: reviews } = await operator<{ data: { id: string }[] }>('GET', '/reviews');
    expect(reviews.data).toMatchObject([{ kind: 'deposit', reason: 'paid_already', invoiceId: body.id }]);
    const url = `/reviews/${reviews.data[0]!.id}/resolve`;
    const note = 'Sent back';
    const refused = await operator('POST', url, { outcome: 'completed', note, invoiceId: body.id });
    expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await operator('POST', url, { outcome: 'failed', note })).toMatchObject({ status: 200 });
    expect(await balanceOf(bearer)).toBe('98.50');
    expect((await operator('GET', '/reviews')).body).toEqual({ data: [] });
  });
});

describe('A canceled invoice', () => {
  it('expires at once in the sandbox, and makes room for another one', async () => {
    const bearer = company();
    const { body: first } = await createInvoice(bearer, '100', 'one');
    gateway.clock.advance(60_000);
    const expiresAt = gateway.clock.now().toISOString();
    const canceled = { ...first, expiresAt };
    expect(await cancel(bearer, first.id, 'cancel')).toMatchObject({ status: 200, body: canceled });
    expect(await complete(bearer, first.id)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await untilStatus(bearer, first.id, 'expired')).toEqual({ ...canceled, status: 'expired' });
    expect(await createInvoice(bearer)).toMatchObject({ status: 201 });

    const again = await cancel(bearer, first.id, 'cancel');
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', canceled]);
    expect(await cancel(bearer, first.id, 'another')).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
    expect((await createInvoice(bearer, '100', 'one')).body).toEqual(first);
  });

  it('is credited for a payment from before, and in review for one from then on', async () => {
    for (const [seconds, status] of [
      [59, 'completed'],
      [60, 'manual_review'],
    ] as const) {
      const bearer = company('live');
      const { body } = await createInvoice(bearer);
      const createdAt = gateway.clock.now().getTime();
      gateway.clock.advance(60_000);
      expect(await cancel(bearer, body.id)).toMatchObject({ status: 200, body: { status: 'pending' } });
      // The block is read only after the cancellation.
      await arrive(body.payAmount, 0, new Date(createdAt + seconds * 1_000));
      const { settlement } = await untilStatus(bearer, body.id, status);
      expect(settlement === undefined).toBe(status === 'manual_review');
      expect(await balanceOf(bearer)).toBe(status === 'completed' ? '98.50' : '0.00');
    }
  });

  it('expires once the chain was read up to its new expiry', async () => {
    const bearer = company('live');
    const { body } = await createInvoice(bearer);
    gateway.clock.advance(60_000);
    const { body: canceled } = await cancel(bearer, body.id);
    expect(await read(bearer, body.id)).toEqual(canceled);
    await arrive('1.000000', 1);
    expect(await untilStatus(bearer, body.id, 'expired')).toEqual({ ...canceled, status: 'expired' });
  });

  it('cannot be a completed one, or one of another company', async () => {
    const bearer = company();
    const { body } = await createInvoice(bearer);
    expect(await cancel(company(), body.id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await complete(bearer, body.id);
    const { status, body: refusal } = await cancel(bearer, body.id);
    expect([status, refusal]).toMatchObject([400, { code: 'validation_failed' }]);
  });
});
