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
}

function post(body: object | string, { signature, to = api, contentType = 'application/json' }: Post = {}) {
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': contentType, 'issuer-signature': signature ?? signPayload(secret, now, payload) };
  return to.send(undefined, { method: 'POST', url: '/issuer/v1/callbacks', payload, headers });
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
  id: randomId(),
  type: 'issue',
  status: 'manual_review',
  amount: '100.00',
  fee: '3.20',
  total: '103.20',
  result: {},
  createdAt: initialTime,
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
    ['of no type', {}, 'type must be transaction or operation.'],
    ['of an operation type', { type: 'issue' }, 'type must be transaction or operation.'],
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
