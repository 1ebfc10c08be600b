import { canonicalJson, deterministicId, randomId, sha256, signPayload } from '@florin/kernel';
import type { OperationObject } from '@florin/operations-domain';
import type { CardOwner } from '@florin/read-models';
import { companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';

const secret = 'secret-of-the-issuer';
const now = Date.parse(initialTime) / 1_000;
const api = new OperationsApp();

beforeAll(() => api.start({ issuerSecret: secret }));
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  api.views.queries.length = 0;
});

interface Post {
  readonly signature?: string;
  readonly to?: OperationsApp;
  readonly contentType?: string;
  readonly url?: string;
}

function post(
  body: object | string,
  { signature, to = api, contentType = 'application/json', url = '/issuer/v1/callbacks' }: Post = {},
) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': contentType, 'issuer-signature': signature ?? signPayload(secret, now, payload) };
  return to.send(undefined, { method: 'POST', url, payload, headers });
}

const card: CardOwner = { cardId: randomId(), companyId, environment: 'live', accountId: `${companyId}-live` };
const transaction = {
  reference: 'txn_1',
  type: 'purchase',
  status: 'pending',
  amount: '12.5',
  currency: 'USD',
  merchant: 'Coffee House',
  country: 'NL',
  occurredAt: '2026-01-01T01:00:00+01:00',
};
const payment = { type: 'transaction', companyId, cardReference: `ref-${card.cardId}`, transaction };

const operation: OperationObject = {
  ...{ id: randomId(), environment: 'live', type: 'issue', status: 'manual_review' },
  ...{ amount: '100.00', fee: '3.20', total: '103.20', currency: 'USD', productId: 'virtual-usd' },
  ...{ result: {}, createdAt: initialTime, updatedAt: initialTime },
};
const outcome = { type: 'operation', operationId: operation.id, companyId, amount: '100' };
const accepted = { ...outcome, outcome: 'accepted', receipt: 'R-1', card: { reference: 'crd_1', last4: '4242' } };
const declined = { ...outcome, outcome: 'declined', code: 'recipient_unknown', message: 'No such recipient.' };

describe('A callback', () => {
  const expectDenied = async (sent: ReturnType<typeof post>): Promise<void> => {
    const { status, body } = await sent;
    expect([status, body['code'], body['message']]).toEqual([401, 'invalid_key', 'The signature is not valid.']);
    expect(api.bus.sent).toEqual([]);
  };

  it.each([
    ['empty', ''],
    ['of another body', signPayload(secret, now, '{}')],
    ['by another secret', signPayload('other', now, JSON.stringify(accepted))],
    ['too old', signPayload(secret, now - 301, JSON.stringify(accepted))],
    ['too young', signPayload(secret, now + 301, JSON.stringify(accepted))],
  ])('is denied if its signature is %s', async (_name, signature) => {
    await expectDenied(post(accepted, { signature }));
  });

  it('is denied without a signature, and without a body', async () => {
    const headers = { 'content-type': 'application/json' };
    await expectDenied(api.send(undefined, { method: 'POST', url: '/issuer/v1/callbacks', payload: '{}', headers }));
    await expectDenied(api.send(undefined, { method: 'POST', url: '/issuer/v1/callbacks' }));
  });

  it('is verified byte for byte, including whitespace', async () => {
    api.views.operations = [operation];
    await expectDenied(
      post(`${JSON.stringify(accepted)} `, { signature: signPayload(secret, now, JSON.stringify(accepted)) }),
    );
    expect((await post(`\n ${JSON.stringify(accepted, null, 2)}\n`)).status).toBe(200);
  });

  it.each([300, -300])('accepts a timestamp that is %i seconds off', async (seconds) => {
    api.views.operations = [operation];
    const signature = signPayload(secret, now + seconds, JSON.stringify(accepted));
    expect((await post(accepted, { signature })).status).toBe(200);
  });

  it('is rejected if no issuer is connected', async () => {
    const unconnected = new OperationsApp();
    await unconnected.start();
    const sent = [post(accepted, { to: unconnected }), post('x', { to: unconnected, contentType: 'text/plain' })];
    for (const { status, body } of await Promise.all(sent)) expect([status, body['code']]).toEqual([404, 'not_found']);
    await unconnected.close();
  });

  it.each([
    ['not JSON', '{', 'The body is not valid JSON.'],
    [
      'a key twice',
      '{"type":"operation","type":"transaction"}',
      'The key type occurs twice in an object: send it once.',
    ],
    ['no object', 'null', 'The body must be a JSON object.'],
    ['of no type', {}, 'type must be transaction, clearing, card or operation.'],
    ['of an operation type', { type: 'issue' }, 'type must be transaction, clearing, card or operation.'],
    ['without an outcome', outcome, 'outcome must be accepted or declined.'],
    ['with more than is known', { ...declined, cardId: 'x' }, 'Unknown field cardId: remove it.'],
    [
      'with the whole number',
      { ...accepted, card: { last4: '4242424242424242' } },
      'card.last4 must be exactly four digits.',
    ],
    ['with an odd code', { ...declined, code: 'Not So' }, /^code must be 1 to 64 characters a-z/],
    [
      'in another currency',
      { ...payment, transaction: { ...transaction, currency: 'EUR' } },
      /^transaction.currency must be USD/,
    ],
    [
      'with a number',
      { ...payment, transaction: { ...transaction, amount: 1 } },
      /^transaction.amount must be a decimal/,
    ],
    ['of no card', { ...payment, cardReference: undefined }, 'Exactly one of cardId and cardReference must be given.'],
    ['of two cards', { ...payment, cardId: card.cardId }, 'Exactly one of cardId and cardReference must be given.'],
  ])('is rejected if it is %s', async (_name, body, message) => {
    const response = await post(body);
    expect(response.body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(response.body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    expect(api.bus.sent).toEqual([]);
  });

  it('is rejected if it is too large', async () => {
    expect(await post(' '.repeat(65_537))).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });
});

describe('A card payment', () => {
  beforeEach(() => {
    api.views.owners = [card];
  });

  it('is recorded on the card that the issuer names', async () => {
    expect(await post(payment)).toMatchObject({ status: 200, body: {} });
    const transactionId = deterministicId('issuer transaction', 'txn_1');
    const { cardId, accountId } = card;
    const facts = { cardId, type: 'purchase', amount: '12.50', currency: 'USD', reference: 'txn_1' };
    expect(api.bus.last).toMatchObject({ context: 'operations', key: accountId });
    expect(api.bus.last?.command).toEqual({
      type: 'RecordTransaction',
      data: {
        transactionId,
        cardId,
        accountId,
        fingerprint: sha256(canonicalJson(facts)),
        reportedAt: initialTime,
        payment: {
          ...transaction,
          transactionId,
          amount: '12.50',
          description: '',
          occurredAt: '2026-01-01T00:00:00.000Z',
        },
      },
    });
  });

  it('keeps its transaction id and gets a new command id when its status changes', async () => {
    await post(payment);
    await post({ ...payment, cardReference: undefined, cardId: card.cardId });
    await post({ ...payment, transaction: { ...transaction, status: 'completed', description: 'Settled' } });
    const [first, again, later] = api.bus.sent.map(({ id, command }) => {
      const { transactionId, fingerprint } = command.data as { transactionId: string; fingerprint: string };
      return { id, transactionId, fingerprint };
    });
    expect(again).toEqual(first);
    expect(later).toEqual({ ...first, id: expect.any(String) as string });
    expect(later?.id).not.toBe(first?.id);
  });

  it.each([
    ['unknown', []],
    ["another company's", [{ ...card, companyId: randomId() }]],
    ['in the sandbox', [{ ...card, environment: 'sandbox' as const }]],
  ])('returns 404 if the card is %s', async (_name, owners) => {
    api.views.owners = owners;
    expect(await post(payment)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await post({ ...payment, cardReference: undefined, cardId: card.cardId })).toMatchObject({ status: 404 });
    expect(api.bus.sent).toEqual([]);
  });

  it('returns 404 for a malformed card id', async () => {
    expect(await post({ ...payment, cardReference: undefined, cardId: 'nope' })).toMatchObject({ status: 404 });
  });

  it.each([
    ['payment_mismatch', 409, 'idempotency_conflict'],
    ['payment_settled', 409, 'idempotency_conflict'],
    ['idempotency_conflict', 409, 'idempotency_conflict'],
    ['not_found', 404, 'not_found'],
  ])('maps the refusal %s to %i', async (refusal, status, code) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await post(payment)).toMatchObject({ status, body: { code } });
  });

  it('is accepted again', async () => {
    api.bus.accept(null, true);
    const { status, body, headers } = await post(payment);
    expect([status, body]).toEqual([200, {}]);
    expect(headers).not.toHaveProperty('idempotent-replayed');
  });
});

describe('A clearing', () => {
  const { status: _status, type: _type, ...details } = transaction;
  const clearing = { ...details, reference: 'clr_1', transactionReference: 'txn_1', amount: '14' };
  const report = { type: 'clearing', companyId, cardReference: `ref-${card.cardId}`, clearing };

  beforeEach(() => {
    api.views.owners = [card];
    api.bus.accept({ status: 'completed' });
  });

  it('is reported about the authorization that it names', async () => {
    expect(await post(report)).toMatchObject({ status: 200, body: {} });
    const clearingId = deterministicId('issuer clearing', 'clr_1');
    expect(api.bus.last?.command).toMatchObject({
      type: 'RecordTransaction',
      data: {
        transactionId: deterministicId('issuer transaction', 'txn_1'),
        payment: {
          ...{ reference: 'txn_1', type: 'purchase', status: 'completed', amount: '14.00' },
          clearing: { clearingId, final: true, amount: '14.00' },
        },
      },
    });
  });

  it('has a separate command id', async () => {
    await post(report);
    await post({ ...report, clearing: { ...clearing, reference: 'clr_2', final: false } });
    await post(report);
    const [first, second, again] = api.bus.sent.map(({ id }) => id);
    expect(second).not.toBe(first);
    expect(again).toBe(first);
  });

  it('above what the card has returns 400', async () => {
    api.bus.refuse('insufficient_card_balance', 'The reason.');
    expect(await post(report)).toMatchObject({ status: 400, body: { code: 'insufficient_card_balance' } });
  });
});

describe('A refund of a payment', () => {
  it('names the transaction of the payment', async () => {
    api.views.owners = [card];
    api.bus.accept({ status: 'completed' });
    const refund = { ...transaction, reference: 'ref_1', type: 'refund', status: 'completed', refundOf: 'txn_1' };
    expect(await post({ ...payment, transaction: refund })).toMatchObject({ status: 200 });
    const refundOf = deterministicId('issuer transaction', 'txn_1');
    expect(api.bus.last?.command).toMatchObject({ data: { payment: { type: 'refund', refundOf } } });
    const purchase = { ...refund, type: 'purchase' };
    expect((await post({ ...payment, transaction: purchase })).body).toMatchObject({ code: 'validation_failed' });
  });
});

describe('POST /issuer/v1/authorizations', () => {
  const { status: _status, ...details } = transaction;
  const authorization = { ...details, merchantCategory: '5814', originalAmount: '11.40', originalCurrency: 'EUR' };
  const request = { companyId, cardReference: `ref-${card.cardId}`, authorization };
  const ask = (body: object, options: Post = {}) => post(body, { ...options, url: '/issuer/v1/authorizations' });

  beforeEach(() => {
    api.views.owners = [card];
  });

  it.each([
    [{ status: 'pending' }, { decision: 'approve' }],
    [{ status: 'completed' }, { decision: 'approve' }],
    [{ status: 'reversed' }, { decision: 'approve' }],
    [
      { status: 'declined', declineReason: 'limit_exceeded' },
      { decision: 'decline', reason: 'limit_exceeded' },
    ],
    [{ status: 'declined' }, { decision: 'decline' }],
  ])('returns for a payment with %j the decision %j', async (answer, decision) => {
    api.bus.accept(answer);
    const { status, body } = await ask(request);
    expect([status, body]).toEqual([200, decision]);
  });

  it('records the authorization under the transaction that later callbacks name', async () => {
    api.bus.accept({ status: 'pending' });
    await ask(request);
    const { cardId, accountId } = card;
    expect(api.bus.last).toMatchObject({ context: 'operations', key: accountId });
    expect(api.bus.last?.command).toMatchObject({
      type: 'RecordTransaction',
      data: {
        ...{
          transactionId: deterministicId('issuer transaction', 'txn_1'),
          cardId,
          accountId,
          reportedAt: initialTime,
        },
        fingerprint: sha256(
          canonicalJson({ cardId, type: 'purchase', amount: '12.50', currency: 'USD', reference: 'txn_1' }),
        ),
        payment: {
          ...{ status: 'pending', amount: '12.50', merchantCategory: '5814' },
          ...{ originalAmount: '11.40', originalCurrency: 'EUR' },
        },
      },
    });
  });

  it('is denied without a valid signature', async () => {
    expect(await ask(request, { signature: 'x' })).toMatchObject({ status: 401, body: { code: 'invalid_key' } });
    expect(api.bus.sent).toEqual([]);
  });

  it('returns 404 for an unknown card and 409 for a reference that is in use', async () => {
    api.bus.refuse('payment_settled', 'The reason.');
    expect(await ask(request)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    api.views.owners = [];
    expect(await ask(request)).toMatchObject({ status: 404 });
  });

  it.each([
    ['of a refund', { type: 'refund' }, /^authorization.type must be /],
    ['with a status', { status: 'pending' }, 'Unknown field authorization.status: remove it.'],
    [
      'with a malformed category',
      { merchantCategory: 'food' },
      /^authorization.merchantCategory must be a merchant category/,
    ],
  ])('is rejected if it is %s', async (_name, change, message) => {
    const { body } = await ask({ ...request, authorization: { ...authorization, ...change } });
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
  });
});

describe('A card status', () => {
  const report = { type: 'card', companyId, cardId: card.cardId, status: 'blocked', occurredAt: initialTime };

  beforeEach(() => {
    api.views.owners = [card];
  });

  it.each(['active', 'blocked', 'expired'])('%s is reported to the card', async (status) => {
    api.bus.accept({});
    expect(await post({ ...report, status })).toMatchObject({ status: 200, body: {} });
    const { cardId, accountId } = card;
    const requestId = deterministicId('issuer status', cardId, status, initialTime);
    expect(api.bus.last).toMatchObject({
      ...{ key: accountId, id: requestId },
      command: { type: 'ReportCardStatus', data: { cardId, accountId, status, requestId, occurredAt: initialTime } },
    });
  });

  it('that cannot follow returns 409, and others are rejected', async () => {
    api.bus.refuse('card_not_active', 'The reason.');
    expect(await post(report)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(await post({ ...report, status: 'closed' })).toMatchObject({ status: 400 });
    expect(await post({ ...report, companyId: randomId() })).toMatchObject({ status: 404 });
  });
});

describe('A late outcome', () => {
  beforeEach(() => {
    api.views.operations = [operation];
  });

  it.each([
    [accepted, { outcome: 'accepted', receipt: 'R-1', last4: '4242', cardReference: 'crd_1' }],
    [declined, { outcome: 'declined', code: 'recipient_unknown', message: 'No such recipient.' }],
    [{ ...outcome, outcome: 'accepted' }, { outcome: 'accepted' }],
  ])('is only recorded as a note: %j', async (callback, response) => {
    expect(await post(callback)).toMatchObject({ status: 200, body: {} });
    expect(api.views.queries).toEqual([{ owner: { companyId, environment: 'live' } }]);
    expect(api.bus.sent).toHaveLength(1);
    const { command, id } = api.bus.last!;
    expect(command).toEqual({
      type: 'NoteLateResponse',
      data: { operationId: operation.id, noteId: id, companyId, amount: '100.00', response, notedAt: initialTime },
    });
  });

  it('is one note when repeated, and a new note with different content', async () => {
    await post(accepted);
    await post({ ...accepted, amount: '100.00' });
    await post({ ...accepted, amount: '101.00' });
    const [first, again, other] = api.bus.sent.map(({ id }) => id);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each([
    ['the operation is unknown', { ...accepted, operationId: randomId() }],
    ['the operation id is malformed', { ...accepted, operationId: 'nope' }],
    ['the company id is malformed', { ...accepted, companyId: 'nope' }],
  ])('returns 404 if %s', async (_name, callback) => {
    expect(await post(callback)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(api.bus.sent).toEqual([]);
  });
});
