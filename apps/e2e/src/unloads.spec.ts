import { randomUUID } from 'node:crypto';
import { type Account, codeOf, expectBody, type Operation } from './harness/account';
import { Operator } from './harness/operator';
import { sharedFlorin } from './harness/florin';
import { topup, unload } from './harness/orders';

const nowhere = '00000000-0000-4000-8000-000000000000';

describe('unloads', () => {
  let operator: Operator;
  let account: Account;
  let holderId: string;

  beforeAll(async () => {
    operator = new Operator(await sharedFlorin());
    account = await operator.newAccount('10000.00');
    holderId = await account.newHolder();
  });

  const change = (id: string, verb: string) => account.post(`/api/v1/cards/${id}/${verb}`);
  const quote = (order: object) => account.post('/api/v1/quotes', order);

  it('return money from a card to the account, with a statement entry and without a fee', async () => {
    const cardId = await account.newCard(holderId, '100');
    const [before] = await account.funds();
    const response = await account.operate(unload(cardId, '40'));
    const { id, createdAt, ...queued } = expectBody<Operation>(response, 201);
    const price = { type: 'unload', amount: '40.00', fee: '0.00', total: '40.00' };
    expect(queued).toMatchObject({ ...price, status: 'queued', result: {} });
    expect(response.headers.get('location')).toBe(`/api/v1/operations/${id}`);

    const done = await account.untilEnded(id);
    const result = { cardId, receipt: expect.stringMatching(/^SBX-/) };
    expect(done).toMatchObject({ id, createdAt, ...price, status: 'completed', result });
    expect(await account.card(cardId)).toMatchObject({ balance: '60.00', available: '60.00' });
    const [after] = await account.funds();
    expect(Number(after)).toBeCloseTo(Number(before) + 40, 2);
    expect(await account.entries(id)).toMatchObject([
      { kind: 'refund', description: 'Card unload', amount: '40.00', availableDelta: '40.00', heldDelta: '0.00' },
    ]);
  });

  it('are reserved on the card before the response, and a repeat of the request returns it again', async () => {
    const cardId = await account.newCard(holderId, '100');
    // Its issuer responds after five seconds.
    const slow = unload(cardId, '80.93');
    const key = randomUUID();
    const first = expectBody<Operation>(await account.operate(slow, key), 201);
    expect(await account.card(cardId)).toMatchObject({ balance: '100.00', available: '19.07' });
    const repeat = await account.operate(slow, key);
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(repeat.body).toEqual({ ...first });
    expect(codeOf(await account.operate(unload(cardId, '1.00'), key))).toEqual([409, 'idempotency_conflict']);
    expect(codeOf(await account.operate(unload(cardId, '19.08')))).toEqual([400, 'insufficient_card_balance']);
    expect(codeOf(await change(cardId, 'close'))).toEqual([409, 'card_not_empty']);
    expect((await account.untilEnded(first.id)).status).toBe('completed');
    expect(await account.card(cardId)).toMatchObject({ balance: '19.07', available: '19.07' });
    expect((await account.operate(slow, key)).body).toEqual({ ...first });
  });

  it('give the amount back to the card if the issuer declines', async () => {
    const cardId = await account.newCard(holderId, '100');
    const before = await account.funds();
    const failed = await account.outcomeOf(unload(cardId, '50.91'));
    expect(failed).toMatchObject({ status: 'failed', failure: { code: 'declined' } });
    expect(await account.card(cardId)).toMatchObject({ balance: '100.00', available: '100.00' });
    expect(await account.funds()).toEqual(before);
    expect(await account.entries(failed.id)).toEqual([]);
  });

  it.each([
    ['completed', '49.08', '49.08', ['refund']],
    ['failed', '100.00', '100.00', []],
  ] as const)('stay reserved in review until it is resolved as %s', async (outcome, balance, available, kinds) => {
    const cardId = await account.newCard(holderId, '100');
    const { id, status } = await account.outcomeOf(unload(cardId, '50.92'));
    expect(status).toBe('manual_review');
    expect(await account.card(cardId)).toMatchObject({ balance: '100.00', available: '49.08' });
    expect(codeOf(await change(cardId, 'close'))).toEqual([409, 'card_not_empty']);
    expect(await operator.resolve(id, outcome, { note: 'Asked the issuer' })).toMatchObject({ status: 200 });
    expect((await account.operation(id)).status).toBe(outcome);
    expect(await account.card(cardId)).toMatchObject({ balance, available });
    expect((await account.entries(id)).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('are allowed for a frozen card', async () => {
    const cardId = await account.newCard(holderId, '100');
    await change(cardId, 'freeze');
    expect((await account.outcomeOf(unload(cardId, '100'))).status).toBe('completed');
    expect(await account.card(cardId)).toMatchObject({ status: 'frozen', balance: '0.00' });
  });

  it.each(['blocked', 'expired'])('and the closing are all that a card allows that is %s', async (status) => {
    const cardId = await account.newCard(holderId, '100');
    expectBody(await account.post(`/api/v1/sandbox/cards/${cardId}/status`, { status }), 200);
    expect(codeOf(await account.operate(topup(cardId, '10')))).toEqual([400, 'card_not_active']);
    expect(codeOf(await change(cardId, 'close'))).toEqual([409, 'card_not_empty']);
    await account.empty(cardId);
    expect(await change(cardId, 'close')).toMatchObject({ status: 200, body: { status: 'closed', balance: '0.00' } });
  });

  it('return a refund that came after the card was closed', async () => {
    const cardId = await account.newCard(holderId, '100');
    const payment = { cardId, amount: '30', merchant: 'Coffee House' };
    const { id } = expectBody<{ id: string }>(await account.post('/api/v1/sandbox/transactions', payment), 201);
    await account.empty(cardId);
    expectBody(await change(cardId, 'close'), 200);
    expect((await account.post(`/api/v1/sandbox/transactions/${id}/refund`)).status).toBeLessThan(300);
    expect(await account.card(cardId)).toMatchObject({ status: 'closed', balance: '30.00' });
    await account.empty(cardId);
    expect(await account.card(cardId)).toMatchObject({ status: 'closed', balance: '0.00' });
    expect(codeOf(await account.operate(unload(cardId, '1')))).toEqual([400, 'card_not_active']);
  });

  it('have a quote', async () => {
    const cardId = await account.newCard(holderId, '100');
    const { expectedTotal: _, ...order } = unload(cardId, '0.01');
    expect(await quote(order)).toMatchObject({
      status: 200,
      body: { amount: '0.01', fee: '0.00', total: '0.01', breakdown: [{ kind: 'amount', amount: '0.01' }] },
    });
    expect(codeOf(await quote({ ...order, amount: '100.01' }))).toEqual([400, 'insufficient_card_balance']);
  });

  it('are refused in the order of the checks', async () => {
    const cardId = await account.newCard(holderId, '100');
    const other = await operator.newAccount('100.00');
    const codes = async (order: object) => codeOf(await account.operate(order));
    expect(await codes(unload(nowhere))).toEqual([404, 'not_found']);
    expect(codeOf(await other.operate(unload(cardId)))).toEqual([404, 'not_found']);
    expect(await codes(unload(cardId, '10', { expectedTotal: '10.02' }))).toEqual([409, 'quote_changed']);
    expect(await codes(unload(cardId, '0.00'))).toEqual([400, 'amount_below_minimum']);
    expect(await codes(unload(cardId, '100.01'))).toEqual([400, 'insufficient_card_balance']);
    expect(await codes({ ...unload(cardId), productId: 'virtual-usd' })).toEqual([400, 'validation_failed']);
    await account.empty(cardId);
    await change(cardId, 'close');
    expect(await codes(unload(cardId, '0.01'))).toEqual([400, 'card_not_active']);
  });

  it('are listed by type and card', async () => {
    const cardId = await account.newCard(holderId, '100');
    const { id } = await account.outcomeOf(unload(cardId, '1'));
    const { data } = await account.list<Operation>(`/api/v1/operations?type=unload&cardId=${cardId}`);
    expect(data.map((operation) => operation.id)).toEqual([id]);
  });

  it('never exceed the balance, however many race for it', async () => {
    const cardId = await account.newCard(holderId, '100');
    const [before] = await account.funds();
    const responses = await Promise.all(Array.from({ length: 12 }, () => account.operate(unload(cardId, '30.00'))));
    const accepted = responses.filter(({ status }) => status === 201);
    expect(accepted).toHaveLength(3);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(codeOf(response)).toEqual([400, 'insufficient_card_balance']);
    }
    for (const { body } of accepted) await account.untilEnded(body['id'] as string);
    expect(await account.card(cardId)).toMatchObject({ balance: '10.00', available: '10.00' });
    expect(Number((await account.funds())[0])).toBeCloseTo(Number(before) + 90, 2);
  });
});

describe('closing a card', () => {
  let account: Account;

  beforeAll(async () => {
    account = await new Operator(await sharedFlorin()).newAccount('10000.00');
  });

  const close = (id: string, headers?: Record<string, string>) =>
    account.post(`/api/v1/cards/${id}/close`, undefined, headers);

  it('takes an empty card, and the message says what remains', async () => {
    const cardId = await account.newCard(await account.newHolder(), '50');
    const refused = await close(cardId);
    expect(codeOf(refused)).toEqual([409, 'card_not_empty']);
    expect(refused.body['message']).toMatch(/a balance of 50.00: unload it first/);
    await account.empty(cardId);
    const headers = { 'Idempotency-Key': randomUUID() };
    const closed = await close(cardId, headers);
    expect(closed).toMatchObject({ status: 200, body: { status: 'closed', balance: '0.00' } });
    const repeat = await close(cardId, headers);
    expect([repeat.headers.get('idempotent-replayed'), repeat.body]).toEqual(['true', closed.body]);
  });

  it('waits for a top-up, so that a closed card never gets money', async () => {
    const cardId = await account.newCard(await account.newHolder(), '50');
    await account.empty(cardId);
    const { id } = await account.order(topup(cardId, '20.93'));
    expect(codeOf(await close(cardId))).toEqual([409, 'card_not_empty']);
    expect((await account.untilEnded(id)).status).toBe('completed');
    expect(codeOf(await close(cardId))).toEqual([409, 'card_not_empty']);
    const declined = await account.outcomeOf(topup(cardId, '20.91'));
    expect(declined.status).toBe('failed');
    await account.empty(cardId);
    expect((await close(cardId)).status).toBe(200);
  });
});
