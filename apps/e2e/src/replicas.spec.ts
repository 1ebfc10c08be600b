import { setTimeout as delay } from 'node:timers/promises';
import { Account, codeOf, expectBody, type Operation } from './harness/account';
import { ApiClient, type ApiResponse } from './harness/client';
import { databaseOf } from './harness/event-log';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { until } from './harness/until';
import { issue, service, topup, type Order } from './harness/orders';

const operatorToken = 'the-same-token-for-both-of-them';

/** The second Florin uses the database server of the first one through `DATABASE_URL`. */
describe('two replicas on one database', () => {
  let first: Florin;
  let second: Florin;
  let key: string;
  let clients: readonly [ApiClient, ApiClient];

  beforeAll(async () => {
    const env = { RATE_LIMIT_SANDBOX: '0', FLORIN_OPERATOR_TOKEN: operatorToken };
    first = await Florin.start({ env });
    second = await Florin.start({ env: { ...env, ...databaseOf(first), FLORIN_SEED: 'none' } });
    key = first.credentials.companies[0]!.keys.sandbox;
    clients = [new ApiClient(first.baseUrl, key), new ApiClient(second.baseUrl, key)];
  });

  afterAll(async () => {
    expect(await second.stop()).toBe(0);
    expect(await first.stop()).toBe(0);
    for (const florin of [first, second]) florin.removeData();
  });

  it('show immediately what was written through the other one', async () => {
    for (let round = 1; round <= 10; round++) {
      await clients[round % 2]!.fund('1');
      for (const client of clients) expect(await client.balance()).toMatchObject({ balance: `${round}.00` });
    }
  });

  it('accept a key once, and lose nothing when both write to one account', async () => {
    const repeats = await Promise.all(
      Array.from({ length: 20 }, (_, index) => clients[index % 2]!.fund('5', 'shared-key')),
    );
    expect(repeats.map(({ status }) => status)).toEqual(new Array(20).fill(201));
    // Concurrent writers to one account conflict. A client that receives 503 retries with the same key.
    const fund = async (index: number): Promise<void> => {
      const client = clients[index % 2]!;
      for (let tries = 0; tries < 50; tries++) {
        const { status } = await client.fund('1', `contended-${index}`);
        if (status === 201) return;
        expect(status).toBe(503);
      }
      throw new Error(`Funding ${index} never got through`);
    };
    await Promise.all(Array.from({ length: 100 }, (_, index) => fund(index)));
    for (const client of clients) expect(await client.balance()).toMatchObject({ balance: '115.00' });
  });

  it('both reject a revoked key within five seconds', async () => {
    const operator = new ApiClient(first.baseUrl, first.credentials.operatorToken);
    const companyId = first.credentials.companies[0]!.id;
    const { body } = await operator.post(`/operator/v1/companies/${companyId}/keys`, {
      name: 'short-lived',
      environment: 'sandbox',
      scopes: ['balance:read'],
    });
    const [here, there] = [first, second].map((florin) => new ApiClient(florin.baseUrl, String(body['key'])));
    for (const client of [here!, there!]) expect((await client.get('/api/v1/balance')).status).toBe(200);
    await operator.post(`/operator/v1/keys/${String(body['id'])}/revoke`);
    expect((await here!.get('/api/v1/balance')).status).toBe(401);
    const deadline = Date.now() + 5_000;
    while ((await there!.get('/api/v1/balance')).status !== 401) {
      expect(Date.now()).toBeLessThan(deadline);
      await delay(50);
    }
  });

  describe('with operations', () => {
    let both: readonly [Account, Account];
    let holderId: string;

    beforeEach(async () => {
      const account = await new Operator(first).newAccount('5000.00');
      both = [account, new Account(second.baseUrl, account['key'])];
      holderId = await account.newHolder();
    });

    /** Retries with the same key after a write conflict, which returns 503. */
    async function operate(account: Account, order: Order, idempotencyKey: string): Promise<ApiResponse> {
      for (let tries = 0; tries < 50; tries++) {
        const response = await account.operate(order, idempotencyKey);
        if (response.status !== 503) return response;
      }
      throw new Error('An operation never got through');
    }

    it('create one operation and one reservation per request, and reject another body under its key', async () => {
      const orders = Array.from({ length: 20 }, (_, index) => service(index < 18 ? '50.92' : '60.92'));
      const responses = await Promise.all(orders.map((order, index) => operate(both[index % 2]!, order, 'the-same')));
      const accepted = responses.filter(({ status }) => status === 201);
      expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
      const refused = responses.filter(({ status }) => status !== 201).map((response) => codeOf(response));
      expect(new Set(refused.map(([status, code]) => `${status} ${code}`))).toEqual(
        new Set(['409 idempotency_conflict']),
      );
      const { id, total } = accepted[0]!.body as unknown as Operation;
      for (const account of both) {
        expect((await account.untilEnded(id)).status).toBe('manual_review');
        expect((await account.funds())[1]).toBe(total);
        expect((await account.list('/api/v1/operations')).data).toHaveLength(1);
      }
    });

    it('reserve 1,000 for exactly five of six concurrent requests on 5,000', async () => {
      const responses = await Promise.all(
        Array.from({ length: 6 }, (_, index) => operate(both[index % 2]!, service('1000'), `hold-${index}`)),
      );
      expect(responses.map((response) => codeOf(response)).sort()).toEqual([
        ...new Array(5).fill([201, undefined]),
        [400, 'insufficient_funds'],
      ]);
      for (const { body } of responses) if (body['id']) await both[0].untilEnded(String(body['id']));
      expect(await both[1].funds()).toEqual(['0.00', '0.00']);
    });

    /** Rejected, or, on a replica that has not seen the change yet, failed before the issuer call. */
    async function expectRefused(account: Account, order: Order, code: string): Promise<void> {
      const response = await account.operate(order);
      if (response.status !== 201) return expect(codeOf(response)).toEqual([400, code]);
      expect(await account.untilEnded(String(response.body['id']))).toMatchObject({
        status: 'failed',
        failure: { code },
      });
    }

    it('do not top up a card that was just frozen through the other one', async () => {
      const [here, there] = both;
      const cardId = await here.newCard(holderId, '100');
      expect((await there.outcomeOf(topup(cardId, '10'))).status).toBe('completed');
      expectBody(await here.post(`/api/v1/cards/${cardId}/freeze`), 200);
      await expectRefused(there, topup(cardId, '20'), 'card_not_active');
      expect((await there.card(cardId)).balance).toBe('110.00');
      expectBody(await there.post(`/api/v1/cards/${cardId}/unfreeze`), 200);
      expect((await here.outcomeOf(topup(cardId, '20'))).status).toBe('completed');
    });

    it('issue a card to a holder who was just registered through either one', async () => {
      // Both have cached the holders of this company.
      for (const account of both) await account.newCard(holderId, '10');
      for (const [registrar, issuer] of [both, [...both].reverse()] as [Account, Account][]) {
        const holder = await registrar.newHolder();
        for (const account of [registrar, issuer]) {
          expect(await account.outcomeOf(issue(holder, '10'))).toMatchObject({ status: 'completed' });
        }
      }
    });

    it.each([
      ['blocked', 'status', { status: 'blocked' }],
      ['erased', 'erase', undefined],
    ])('issue no card to a holder who was just %s through the other one', async (_, verb, body) => {
      const operators = [second, first].map((florin) => new Operator(florin, operatorToken));
      for (const [index, account] of both.entries()) {
        const holder = await account.newHolder();
        const isCompleted = ({ status }: Operation): boolean => status === 'completed';
        await until('the holder is known', () => account.outcomeOf(issue(holder, '10')), isCompleted);
        expectBody(await operators[index]!.post(`/operator/v1/holders/${holder}/${verb}`, body), 200);
        await expectRefused(account, issue(holder, '10'), 'holder_not_active');
      }
    });
  });

  it('take over the projections of a stopped replica', async () => {
    const before = (await clients[0].balance()) as { balance: string };
    await second.stop();
    await clients[0].fund('1');
    expect(await clients[0].balance()).toMatchObject({ balance: (Number(before.balance) + 1).toFixed(2) });
  });
});
