import type { Account } from './harness/account';
import { codeOf, expectBody } from './harness/account';
import type { ApiResponse } from './harness/client';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { issue, service, topup, type Order, without } from './harness/orders';

const minimumTopup = '20.00';
const nowhere = '00000000-0000-4000-8000-000000000000';

describe('prices', () => {
  let florin: Florin;
  let operator: Operator;
  let account: Account;
  let holderId: string;
  let cardId: string;

  beforeAll(async () => {
    florin = await Florin.start({ env: { RATE_LIMIT_SANDBOX: '0', MINIMUM_TOPUP_AMOUNT: minimumTopup } });
    operator = new Operator(florin);
    account = await operator.newAccount('1000.00');
    holderId = await account.newHolder();
    cardId = await account.newCard(holderId, '100.00');
  });

  afterAll(async () => {
    expect(await florin.stop()).toBe(0);
    florin.removeData();
  });

  const quote = (order: Order): Promise<ApiResponse> => account.post('/api/v1/quotes', without(order, 'expectedTotal'));
  const define = (id: string, fields: object): Promise<ApiResponse> =>
    operator.send('PUT', `/operator/v1/products/${id}`, { body: fields });

  const cardTerms = { issue: { fixed: '3.00', percent: '0.2' }, topup: { fixed: '0.00', percent: '0.2' } };
  const card = { kind: 'card', name: 'Test card', fee: cardTerms, minimumAmount: '10.00' };

  describe('quotes', () => {
    it('add up for an issue, a top-up and a service', async () => {
      expect(await quote(issue(holderId, '100'))).toMatchObject({
        status: 200,
        body: {
          amount: '100.00',
          fee: '3.20',
          total: '103.20',
          breakdown: [
            { kind: 'amount', amount: '100.00' },
            { kind: 'fixed_fee', amount: '3.00' },
            { kind: 'percent_fee', amount: '0.20' },
          ],
        },
      });
      expect((await quote(topup(cardId, '100'))).body).toMatchObject({ fee: '0.20', total: '100.20' });
      expect((await quote(service('25.5'))).body).toMatchObject({ amount: '25.50', fee: '0.00', total: '25.50' });
    });

    it('are repeated under their key, and another body under it is rejected', async () => {
      const ask = (amount: string): Promise<ApiResponse> =>
        account.post('/api/v1/quotes', without(service(amount), 'expectedTotal'), { 'Idempotency-Key': 'my-quote' });
      const first = await ask('25');
      const again = await ask('25.00');
      expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
      expect(again).toMatchObject({ status: 200, body: first.body });
      expect(codeOf(await ask('26'))).toEqual([409, 'idempotency_conflict']);
    });

    it.each([
      ['10.00', '3.02', '13.02'],
      ['12.49', '3.02', '15.51'],
      ['12.50', '3.03', '15.53'],
      ['0999.99', '5.00', '1004.99'],
      ['999999999999.99', '2000000003.00', '1002000000002.99'],
    ])('round half up to the cent: %s costs %s', async (amount, fee, total) => {
      expect((await quote(issue(holderId, amount))).body).toMatchObject({ fee, total });
    });

    it('reserve nothing and do not check the funds', async () => {
      const before = await account.funds();
      expect((await quote(service('900000'))).status).toBe(200);
      expect(await account.funds()).toEqual(before);
      expect((await account.list('/api/v1/operations')).data).toHaveLength(1);
    });

    it.each<readonly [string, readonly [number, string], () => object]>([
      ['an unknown holder', [404, 'not_found'], () => without(issue(nowhere), 'expectedTotal')],
      ['an unknown card', [404, 'not_found'], () => without(topup(nowhere), 'expectedTotal')],
      [
        'an unknown product',
        [400, 'product_unavailable'],
        () => without(service('5', { productId: 'x' }), 'expectedTotal'),
      ],
      ['too little', [400, 'amount_below_minimum'], () => without(issue(holderId, '9.99'), 'expectedTotal')],
      ['less than configured', [400, 'amount_below_minimum'], () => without(topup(cardId, '19.99'), 'expectedTotal')],
      ['an expected total', [400, 'validation_failed'], () => service('10')],
      [
        'a field of another type',
        [400, 'validation_failed'],
        () => ({ ...without(service(), 'expectedTotal'), holderId }),
      ],
    ])('are rejected for %s', async (_, refusal, order) => {
      expect(codeOf(await account.post('/api/v1/quotes', order()))).toEqual(refusal);
    });

    it('are rejected for a blocked holder or a frozen card', async () => {
      const [blocked, frozen] = [await account.newHolder(), await account.newCard(holderId, '10')];
      expectBody(await operator.post(`/operator/v1/holders/${blocked}/status`, { status: 'blocked' }), 200);
      expectBody(await account.post(`/api/v1/cards/${frozen}/freeze`), 200);
      expect(codeOf(await quote(issue(blocked)))).toEqual([400, 'holder_not_active']);
      expect(codeOf(await quote(topup(frozen)))).toEqual([400, 'card_not_active']);
    });
  });

  describe('products', () => {
    it('are listed with their terms and an amount that suffices for each operation', async () => {
      const { data } = await account.list<{ id: string }>('/api/v1/products');
      const terms = { kind: 'card', currency: 'USD', fee: cardTerms, minimumAmount: minimumTopup };
      expect([...data].sort((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
        { id: 'business-usd', name: 'Business card', ...terms },
        {
          id: 'courier-delivery',
          kind: 'service',
          name: 'Courier delivery',
          currency: 'USD',
          fee: { service: { fixed: '0.00', percent: '0' } },
          minimumAmount: '1.00',
        },
        { id: 'virtual-usd', name: 'Virtual card', ...terms },
      ]);
    });

    it('apply new terms at once, and report the new total to a client that expects the old one', async () => {
      expect(await define('changing-usd', card)).toMatchObject({
        status: 200,
        body: { id: 'changing-usd', ...card, currency: 'USD', available: true },
      });
      const order = issue(holderId, '100', { productId: 'changing-usd' });
      expect((await account.outcomeOf(order)).status).toBe('completed');
      const dearer = { ...cardTerms, issue: { fixed: '5.5', percent: '1.25' } };
      expect((await define('changing-usd', { ...card, fee: dearer })).status).toBe(200);
      const refused = await account.operate(order);
      expect(codeOf(refused)).toEqual([409, 'quote_changed']);
      expect(refused.body['message']).toContain('106.75');
      expect(await account.outcomeOf({ ...order, expectedTotal: '106.75' })).toMatchObject({ fee: '6.75' });
    });

    it('cannot be ordered once withdrawn, while their cards keep working', async () => {
      await define('rare-usd', card);
      const rare = await account.newCard(holderId, '10', { productId: 'rare-usd' });
      expect((await define('rare-usd', { ...card, available: false })).body['available']).toBe(false);
      const ids = (await account.list<{ id: string }>('/api/v1/products')).data.map(({ id }) => id);
      expect(ids).not.toContain('rare-usd');
      expect(codeOf(await account.operate(issue(holderId, '10', { productId: 'rare-usd' })))).toEqual([
        400,
        'product_unavailable',
      ]);
      expect((await account.card(rare)).status).toBe('active');
      const all = (await operator.get('/operator/v1/products')).body['data'] as { id: string; available: boolean }[];
      expect(all.find(({ id }) => id === 'rare-usd')).toMatchObject({ available: false });
    });

    it('may offer issues only, or set a separate minimum', async () => {
      await define('once-usd', { ...card, fee: { issue: cardTerms.issue }, minimumAmount: '50' });
      const once = await account.newCard(holderId, '50', { productId: 'once-usd' });
      expect(codeOf(await account.operate(topup(once, '50', { productId: 'once-usd' })))).toEqual([
        400,
        'product_unavailable',
      ]);
      expect(codeOf(await account.operate(issue(holderId, '49.99', { productId: 'once-usd' })))).toEqual([
        400,
        'amount_below_minimum',
      ]);
    });

    it.each<readonly [string, string, object]>([
      ['an id with capitals', 'New-USD', card],
      ['an id of 64 characters', 'x'.repeat(64), card],
      ['another kind', 'new-usd', { ...card, kind: 'loan' }],
      ['terms of another kind', 'new-usd', { ...card, fee: { service: cardTerms.topup } }],
      ['no terms', 'new-usd', { ...card, fee: {} }],
      ['a percentage that is a number', 'new-usd', { ...card, fee: { issue: { fixed: '1', percent: 0.2 } } }],
      ['100 %', 'new-usd', { ...card, fee: { issue: { fixed: '1', percent: '100' } } }],
      ['another currency', 'new-usd', { ...card, currency: 'EUR' }],
      ['an unknown field', 'new-usd', { ...card, colour: 'red' }],
      ['no minimum', 'new-usd', without(card, 'minimumAmount')],
    ])('are rejected with %s', async (_, id, fields) => {
      expect(codeOf(await define(id, fields))).toEqual([400, 'validation_failed']);
    });

    it('are defined by operators only', async () => {
      const body = card;
      expect(codeOf(await account.send('PUT', '/operator/v1/products/mine', { body }))).toEqual([401, 'invalid_key']);
      expect(codeOf(await account.get('/operator/v1/products'))).toEqual([401, 'invalid_key']);
      expect(codeOf(await account.get('/api/v1/products?kind=card'))).toEqual([400, 'validation_failed']);
    });
  });
});
