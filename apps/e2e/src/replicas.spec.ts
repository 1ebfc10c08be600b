import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from './harness/client';
import { Product } from './harness/product';

/** Two whole products on one database: the second is given the first one's server by `DATABASE_URL`. */
describe('two replicas on one database', () => {
  let first: Product;
  let second: Product;
  let key: string;
  let clients: readonly [ApiClient, ApiClient];

  beforeAll(async () => {
    const env = { RATE_LIMIT_SANDBOX: '0', FLORIN_OPERATOR_TOKEN: 'the-same-token-for-both-of-them' };
    first = await Product.start({ env });
    const socket = join(realpathSync(join(first.dataDirectory, 'postgres')), 'socket');
    const url = `postgres://florin@localhost/florin?host=${encodeURIComponent(socket)}`;
    second = await Product.start({ env: { ...env, DATABASE_URL: url, FLORIN_SEED: 'none' } });
    key = first.credentials.companies[0]!.keys.sandbox;
    clients = [new ApiClient(first.baseUrl, key), new ApiClient(second.baseUrl, key)];
  });

  afterAll(async () => {
    expect(await second.stop()).toBe(0);
    expect(await first.stop()).toBe(0);
    for (const product of [first, second]) product.removeData();
  });

  it('show what was written through the other one at once', async () => {
    for (let round = 1; round <= 10; round++) {
      await clients[round % 2]!.fund('1');
      for (const client of clients) expect(await client.balance()).toMatchObject({ balance: `${round}.00` });
    }
  });

  it('take a key once between them, and lose nothing when both write to one account', async () => {
    const repeats = await Promise.all(
      Array.from({ length: 20 }, (_, index) => clients[index % 2]!.fund('5', 'shared-key')),
    );
    expect(repeats.map(({ status }) => status)).toEqual(new Array(20).fill(201));
    // Writers that meet on one account overtake each other. Whoever is told to repeat does so, with the same key.
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

  it('both refuse a revoked key within five seconds', async () => {
    const operator = new ApiClient(first.baseUrl, first.credentials.operatorToken);
    const companyId = first.credentials.companies[0]!.id;
    const { body } = await operator.post(`/operator/v1/companies/${companyId}/keys`, {
      name: 'short-lived',
      environment: 'sandbox',
      scopes: ['balance:read'],
    });
    const [here, there] = [first, second].map((product) => new ApiClient(product.baseUrl, String(body['key'])));
    for (const client of [here!, there!]) expect((await client.get('/api/v1/balance')).status).toBe(200);
    await operator.post(`/operator/v1/keys/${String(body['id'])}/revoke`);
    expect((await here!.get('/api/v1/balance')).status).toBe(401);
    const deadline = Date.now() + 5_000;
    while ((await there!.get('/api/v1/balance')).status !== 401) {
      expect(Date.now()).toBeLessThan(deadline);
      await delay(50);
    }
  });

  it('go on with the projections of one that is gone', async () => {
    const before = (await clients[0].balance()) as { balance: string };
    await second.stop();
    await clients[0].fund('1');
    expect(await clients[0].balance()).toMatchObject({ balance: (Number(before.balance) + 1).toFixed(2) });
  });
});
