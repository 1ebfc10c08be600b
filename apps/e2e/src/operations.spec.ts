import { randomUUID } from 'node:crypto';
import { type Account, codeOf, type Operation } from './harness/account';
import { Operator } from './harness/operator';
import { sharedFlorin } from './harness/florin';
import { issue, service, topup } from './harness/orders';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('operations in the sandbox', () => {
  let operator: Operator;
  let slow: { account: Account; operation: Operation; orderedAt: number };

  beforeAll(async () => {
    operator = new Operator(await sharedFlorin());
    // It takes five seconds, and runs during the other tests.
    const account = await operator.newAccount('50.00');
    slow = { account, orderedAt: Date.now(), operation: await account.order(service('10.93')) };
  });

  it('issue a card: reserve the total, capture it, and load the card', async () => {
    const account = await operator.newAccount('500.00');
    const holderId = await account.newHolder();
    const metadata = { order: '4711' };
    const response = await account.operate({ ...issue(holderId, '100', { name: 'Travel' }), metadata });
    expect(response.status).toBe(201);
    const { id, createdAt, updatedAt, ...queued } = response.body as unknown as Operation;
    expect(response.headers.get('location')).toBe(`/api/v1/operations/${id}`);
    expect(response.headers.get('idempotent-replayed')).toBeNull();
    expect([id, createdAt]).toEqual([expect.stringMatching(uuid), expect.stringMatching(instant)]);
    expect(updatedAt).toBe(createdAt);
    const order = {
      ...{ environment: 'sandbox', type: 'issue', amount: '100.00', fee: '3.20', total: '103.20', currency: 'USD' },
      ...{ productId: 'virtual-usd', holderId, name: 'Travel', metadata },
    };
    expect(queued).toEqual({ ...order, status: 'queued', result: {} });

    const done = await account.untilEnded(id);
    const result = { cardId: expect.stringMatching(uuid), receipt: expect.stringMatching(/^SBX-/) };
    const { cardId } = done.result;
    const changed = { status: 'completed', result, cardId, updatedAt: expect.stringMatching(instant) };
    expect(done).toEqual({ id, createdAt, ...order, ...changed });
    const found = await account.list<Operation>('/api/v1/operations?metadata[order]=4711');
    expect(found.data).toEqual([done]);
    expect(await account.card(done.result.cardId!)).toEqual({
      id: done.result.cardId,
      name: 'Travel',
      holderId,
      last4: expect.stringMatching(/^\d{4}$/),
      status: 'active',
      balance: '100.00',
      available: '100.00',
      limits: {},
      metadata: {},
      productId: 'virtual-usd',
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
    });
    expect(await account.balance()).toMatchObject({ available: '396.80', held: '0.00', balance: '396.80' });
    expect(await account.entries(id)).toMatchObject([
      { kind: 'reservation', amount: '0.00', availableDelta: '-103.20', heldDelta: '103.20', balance: '500.00' },
      { kind: 'capture', amount: '-100.00', availableDelta: '0.00', heldDelta: '-100.00', balance: '400.00' },
      { kind: 'fee', amount: '-3.20', availableDelta: '0.00', heldDelta: '-3.20', balance: '396.80' },
    ]);
  });

  it('top up a card by the amount without the fee', async () => {
    const account = await operator.newAccount('500.00');
    const cardId = await account.newCard(await account.newHolder(), '10.00');
    const done = await account.outcomeOf(topup(cardId, '100.0'));
    expect(done).toMatchObject({ type: 'topup', status: 'completed', amount: '100.00', fee: '0.20', total: '100.20' });
    expect(done.result).toEqual({ cardId, receipt: expect.stringMatching(/^SBX-/) });
    expect((await account.card(cardId)).balance).toBe('110.00');
    // 500.00 less 13.02 for the issue and 100.20 for the top-up.
    expect(await account.funds()).toEqual(['386.78', '0.00']);
    expect((await account.entries(done.id)).map(({ kind }) => kind)).toEqual(['reservation', 'capture', 'fee']);
  });

  it('complete a service', async () => {
    const account = await operator.newAccount('100.00');
    const done = await account.outcomeOf(service('25.5'));
    expect(done).toMatchObject({ type: 'service', status: 'completed', amount: '25.50', fee: '0.00', total: '25.50' });
    expect(done.result).toEqual({ receipt: expect.stringMatching(/^SBX-/) });
    expect(await account.funds()).toEqual(['74.50', '0.00']);
  });

  it('fail when the issuer declines, and release the funds', async () => {
    const account = await operator.newAccount('200.00');
    const done = await account.outcomeOf(issue(await account.newHolder(), '50.91'));
    const failure = { code: 'declined', message: expect.stringContaining('.91') };
    expect(done).toMatchObject({ status: 'failed', result: {}, failure });
    expect(await account.funds()).toEqual(['200.00', '0.00']);
    expect(await account.entries(done.id)).toMatchObject([
      { kind: 'reservation', availableDelta: '-54.01', heldDelta: '54.01' },
      { kind: 'release', amount: '0.00', availableDelta: '54.01', heldDelta: '-54.01', balance: '200.00' },
    ]);
    expect(await account.list('/api/v1/cards')).toEqual({ data: [] });
  });

  it('go to manual_review when the outcome is unknown, and keep the reservation', async () => {
    const account = await operator.newAccount('200.00');
    const done = await account.outcomeOf(service('50.92'));
    expect(done).toMatchObject({ status: 'manual_review', result: {} });
    expect(done).not.toHaveProperty('failure');
    expect(await account.funds()).toEqual(['149.08', '50.92']);
    expect((await account.entries(done.id)).map(({ kind }) => kind)).toEqual(['reservation']);
  });

  describe('with an idempotency key', () => {
    it('return the original response for a repeat, also after the operation has ended', async () => {
      const account = await operator.newAccount('200.00');
      const [order, key] = [service('50'), 'x'.repeat(128)];
      const first = await account.operate(order, key);
      await account.untilEnded(String(first.body['id']));
      const again = await account.operate({ ...order, amount: '50.0', expectedTotal: '50.00' }, key);
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(await account.funds()).toEqual(['150.00', '0.00']);
    });

    it('reject another body under the same key, and reserve nothing', async () => {
      const account = await operator.newAccount('200.00');
      const key = randomUUID();
      const first = await account.operate(service('50.92'), key);
      const other = await account.operate(service('60.92'), key);
      expect(codeOf(other)).toEqual([409, 'idempotency_conflict']);
      await account.untilEnded(String(first.body['id']));
      expect(await account.funds()).toEqual(['149.08', '50.92']);
      expect((await account.list('/api/v1/operations')).data).toHaveLength(1);
    });

    it('accept one of two concurrent bodies, and reserve only for that one', async () => {
      const account = await operator.newAccount('1000.00');
      const key = randomUUID();
      const orders = Array.from({ length: 20 }, (_, index) => service(index % 2 === 0 ? '50.92' : '60.92'));
      const responses = await Promise.all(orders.map((order) => account.operate(order, key)));
      const accepted = responses.filter(({ status }) => status === 201);
      const refused = responses.filter(({ status }) => status !== 201);
      expect([accepted.length, refused.length]).toEqual([10, 10]);
      expect(new Set(refused.map(({ body }) => body['code']))).toEqual(new Set(['idempotency_conflict']));
      expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
      const [, held] = await account.funds();
      expect(held).toBe(accepted[0]!.body['total']);
    });

    it('can reuse the key of a rejected request', async () => {
      const account = await operator.newAccount('20.00');
      const key = randomUUID();
      expect(codeOf(await account.operate(service('50'), key))).toEqual([400, 'insufficient_funds']);
      const response = await account.operate(service('10'), key);
      expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, null]);
    });

    it('treat the same key of another company or endpoint as a different one', async () => {
      const [one, two] = [await operator.newAccount('100.00'), await operator.newAccount()];
      const key = randomUUID();
      expect((await one.operate(service('10'), key)).status).toBe(201);
      expect((await two.fund('100', key)).status).toBe(201);
      const response = await two.operate(service('20'), key);
      expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, null]);
    });
  });

  it('create one operation and one reservation for 50 identical concurrent requests', async () => {
    const account = await operator.newAccount('1000.00');
    const [order, key] = [service('15.92'), randomUUID()];
    const responses = await Promise.all(Array.from({ length: 50 }, () => account.operate(order, key)));
    expect(responses.map(({ status }) => status)).toEqual(new Array(50).fill(201));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const { data } = await account.list<Operation>('/api/v1/operations');
    expect(data.map(({ id }) => id)).toEqual([responses[0]!.body['id']]);
    await account.untilEnded(data[0]!.id);
    expect(await account.funds()).toEqual(['984.08', '15.92']);
    expect((await account.entries(data[0]!.id)).map(({ kind }) => kind)).toEqual(['reservation']);
  });

  it('reserve 1,000 for exactly five of six concurrent requests on 5,000', async () => {
    const account = await operator.newAccount('5000.00');
    const order = service('1000.00');
    const responses = await Promise.all(Array.from({ length: 6 }, () => account.operate(order)));
    expect(responses.map((response) => codeOf(response)).sort()).toEqual([
      ...new Array(5).fill([201, undefined]),
      [400, 'insufficient_funds'],
    ]);
    const { data } = await account.list<Operation>('/api/v1/operations');
    expect(data).toHaveLength(5);
    for (const { id } of data) expect((await account.untilEnded(id)).status).toBe('completed');
    expect(await account.balance()).toMatchObject({ balance: '0.00' });
  });

  it('release the funds of a failed operation for another one', async () => {
    const account = await operator.newAccount('50.91');
    expect((await account.outcomeOf(service('50.91'))).status).toBe('failed');
    expect((await account.outcomeOf(service('50.90'))).status).toBe('completed');
    expect(await account.funds()).toEqual(['0.01', '0.00']);
  });

  it('are unavailable in live without an issuer', async () => {
    const live = await operator.newKey(await operator.newCompany({ activations: ['services'] }), 'live');
    for (const order of [issue(randomUUID()), topup(randomUUID()), service()]) {
      expect(codeOf(await live.operate(order))).toEqual([403, 'capability_inactive']);
      expect(codeOf(await live.post('/api/v1/quotes', order))).toEqual([403, 'capability_inactive']);
    }
    expect(codeOf(await live.post('/issuer/v1/callbacks', {}))).toEqual([404, 'not_found']);
  });

  it('complete late when the issuer is slow', async () => {
    const { account, operation, orderedAt } = slow;
    const done = await account.untilEnded(operation.id);
    // Timers may fire slightly early, but not by half a second.
    expect(Date.now() - orderedAt).toBeGreaterThan(4_500);
    expect(done).toMatchObject({ status: 'completed', amount: '10.93' });
    expect(await account.funds()).toEqual(['39.07', '0.00']);
  });
});
