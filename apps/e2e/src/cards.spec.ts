import { randomUUID } from 'node:crypto';
import { type Account, type Card, codeOf, expectBody } from './harness/account';
import { Operator } from './harness/operator';
import { sharedFlorin } from './harness/florin';
import { issue, topup } from './harness/orders';

const nowhere = '00000000-0000-4000-8000-000000000000';

interface Transaction {
  readonly id: string;
  readonly cardId: string;
  readonly status: string;
  readonly type: string;
}

describe('cards and their payments', () => {
  let operator: Operator;
  let account: Account;
  let holderId: string;

  beforeAll(async () => {
    operator = new Operator(await sharedFlorin());
    account = await operator.newAccount('10000.00');
    holderId = await account.newHolder();
  });

  const change = (id: string, verb: string, headers?: Record<string, string>) =>
    account.post(`/api/v1/cards/${id}/${verb}`, undefined, headers);
  const pay = (fields: object, headers?: Record<string, string>) =>
    account.post('/api/v1/sandbox/transactions', { amount: '10', merchant: 'Coffee House', ...fields }, headers);
  const paid = async (fields: object) => expectBody<Transaction>(await pay(fields), 201);

  describe('a card', () => {
    it('is frozen, unfrozen and closed, and every response shows the status', async () => {
      const id = await account.newCard(holderId, '50');
      await account.empty(id);
      for (const [verb, status] of [
        ['freeze', 'frozen'],
        ['unfreeze', 'active'],
        ['freeze', 'frozen'],
        ['close', 'closed'],
      ] as const) {
        const response = await change(id, verb);
        expect([response.status, response.body['status']]).toEqual([200, status]);
        expect(response.body).toEqual(await account.card(id));
      }
      expect(await account.card(id)).toMatchObject({ status: 'closed', balance: '0.00' });
    });

    it('accepts a change to its current status', async () => {
      const id = await account.newCard(holderId, '50');
      await account.empty(id);
      for (const verb of ['unfreeze', 'freeze', 'freeze', 'close', 'close']) {
        const response = await change(id, verb);
        expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, null]);
      }
    });

    it('cannot be reopened', async () => {
      const id = await account.newCard(holderId, '50');
      await account.empty(id);
      await change(id, 'close');
      expect(codeOf(await change(id, 'unfreeze'))).toEqual([400, 'card_not_active']);
      expect(codeOf(await change(id, 'freeze'))).toEqual([400, 'card_not_active']);
      expect(codeOf(await account.operate(topup(id)))).toEqual([400, 'card_not_active']);
    });

    it('cannot be topped up while it is frozen', async () => {
      const id = await account.newCard(holderId, '50');
      await change(id, 'freeze');
      const before = await account.funds();
      expect(codeOf(await account.operate(topup(id)))).toEqual([400, 'card_not_active']);
      expect(await account.funds()).toEqual(before);
      await change(id, 'unfreeze');
      expect((await account.outcomeOf(topup(id, '20'))).status).toBe('completed');
      expect((await account.card(id)).balance).toBe('70.00');
    });

    it('is not frozen again when an earlier request is repeated', async () => {
      const id = await account.newCard(holderId, '50');
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = await change(id, 'freeze', headers);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      await change(id, 'unfreeze');
      await paid({ cardId: id });
      const repeat = await change(id, 'freeze', headers);
      expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(repeat.body).toEqual(first.body);
      expect(await account.card(id)).toMatchObject({ status: 'active', balance: '40.00' });
      // The same key for another card is a different request.
      const other = await account.newCard(holderId, '50');
      expect((await change(other, 'freeze', headers)).body['status']).toBe('frozen');
    });

    it('returns 404 for another id, and rejects a body or a query', async () => {
      const id = await account.newCard(holderId, '50');
      for (const wrong of [nowhere, 'x', holderId]) {
        for (const verb of ['freeze', 'unfreeze', 'close']) {
          expect(codeOf(await change(wrong, verb))).toEqual([404, 'not_found']);
        }
        expect(codeOf(await account.get(`/api/v1/cards/${wrong}`))).toEqual([404, 'not_found']);
      }
      const withBody = await account.post(`/api/v1/cards/${id}/freeze`, { until: 'tomorrow' });
      expect(codeOf(withBody)).toEqual([400, 'validation_failed']);
      expect(codeOf(await change(id, 'freeze?until=tomorrow'))).toEqual([400, 'validation_failed']);
      expect((await account.card(id)).status).toBe('active');
    });

    it('is listed with filters, and shows only the last four digits', async () => {
      const mine = await operator.newAccount('1000.00');
      const [ada, ben] = [await mine.newHolder(), await mine.newHolder()];
      const first = await mine.newCard(ada, '10', { name: 'First' });
      const second = await mine.newCard(ada, '20', { productId: 'business-usd' });
      const third = await mine.newCard(ben, '30');
      expectBody(await mine.post(`/api/v1/cards/${third}/freeze`), 200);
      const ids = async (query: string) =>
        (await mine.list<Card>(`/api/v1/cards${query}`)).data.map(({ id }) => id).sort();
      expect(await ids('')).toEqual([first, second, third].sort());
      expect(await ids(`?holderId=${ada}`)).toEqual([first, second].sort());
      expect(await ids('?productId=business-usd')).toEqual([second]);
      expect(await ids('?status=frozen')).toEqual([third]);
      expect(await ids(`?status=active&holderId=${ada}&productId=virtual-usd`)).toEqual([first]);
      expect(await ids(`?holderId=${nowhere}`)).toEqual([]);
      expect(await ids('?status=expired')).toEqual([]);
      const { text } = await mine.get('/api/v1/cards');
      expect(text.replaceAll(/"id":"[^"]*"|"holderId":"[^"]*"|"createdAt":"[^"]*"/g, '')).not.toMatch(/\d{5}/);
      for (const query of ['?state=active', '?status=warm', '?holderId=me', '?productId=A', '?limit=0', '?limit=101']) {
        expect(codeOf(await mine.get(`/api/v1/cards${query}`))).toEqual([400, 'validation_failed']);
      }
    });

    it('has the name and the holder of its order', async () => {
      const nameless = await account.newCard(holderId, '10');
      const named = await account.newCard(holderId, '10', { name: '  Travel 🧳  ' });
      expect((await account.card(named)).name).toBe('Travel 🧳');
      expect(await account.card(nameless)).toMatchObject({ holderId, name: expect.any(String) });
      for (const name of ['', ' ', 'x'.repeat(65), 'a\nb']) {
        expect(codeOf(await account.operate(issue(holderId, '10', { name })))).toEqual([400, 'validation_failed']);
      }
    });
  });

  describe('a payment', () => {
    it('decreases the balance, and a refund increases it', async () => {
      const cardId = await account.newCard(holderId, '100');
      const before = await account.funds();
      const response = await pay({ cardId, amount: '12.5', country: 'NL', description: 'Two espressos' });
      expect(response.status).toBe(201);
      expect(response.body).toEqual({
        id: expect.any(String),
        cardId,
        reference: expect.any(String),
        type: 'purchase',
        status: 'completed',
        amount: '12.50',
        currency: 'USD',
        merchant: 'Coffee House',
        country: 'NL',
        description: 'Two espressos',
        occurredAt: expect.stringMatching(/Z$/),
        ...{ authorizedAmount: '12.50', clearedAmount: '12.50', updatedAt: response.body['occurredAt'] },
      });
      expect((await account.list('/api/v1/transactions?limit=1')).data).toEqual([response.body]);
      expect((await account.card(cardId)).balance).toBe('87.50');
      for (const [type, balance] of [
        ['withdrawal', '77.50'],
        ['fee', '67.50'],
        ['adjustment', '57.50'],
        ['verification', '57.50'],
        ['refund', '67.50'],
      ]) {
        expect(await paid({ cardId, type })).toMatchObject({ type, status: 'completed' });
        expect((await account.card(cardId)).balance).toBe(balance);
      }
      // Payments change the card balance, not the account.
      expect(await account.funds()).toEqual(before);
    });

    it('is declined without effect when the balance is too low or the card is not active', async () => {
      const cardId = await account.newCard(holderId, '10');
      expect(await paid({ cardId, amount: '10.01' })).toMatchObject({ status: 'declined', amount: '10.01' });
      expect((await account.card(cardId)).balance).toBe('10.00');
      expect(await paid({ cardId, amount: '10.00' })).toMatchObject({ status: 'completed' });
      expect(await paid({ cardId, amount: '0.01' })).toMatchObject({ status: 'declined' });
      await change(cardId, 'freeze');
      expect(await paid({ cardId, amount: '5.00', type: 'refund' })).toMatchObject({ status: 'completed' });
      expect(await paid({ cardId, amount: '1.00' })).toMatchObject({ status: 'declined' });
      expect(await account.card(cardId)).toMatchObject({ balance: '5.00', status: 'frozen' });
    });

    it('never overdraws the card when several arrive at once', async () => {
      const cardId = await account.newCard(holderId, '50');
      const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await paid({ cardId })).status));
      expect(statuses.sort()).toEqual([...new Array(5).fill('completed'), ...new Array(5).fill('declined')]);
      expect((await account.card(cardId)).balance).toBe('0.00');
    });

    it('is recorded once per idempotency key', async () => {
      const cardId = await account.newCard(holderId, '100');
      const headers = { 'Idempotency-Key': randomUUID() };
      const responses = await Promise.all(Array.from({ length: 20 }, () => pay({ cardId }, headers)));
      expect(responses.map(({ status }) => status)).toEqual(new Array(20).fill(201));
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
      expect(responses.filter((response) => response.headers.get('idempotent-replayed') === null)).toHaveLength(1);
      expect(codeOf(await pay({ cardId, amount: '11' }, headers))).toEqual([409, 'idempotency_conflict']);
      expect((await account.card(cardId)).balance).toBe('90.00');
    });

    it('is listed with filters', async () => {
      const mine = await operator.newAccount('1000.00');
      const holder = await mine.newHolder();
      const cards = [await mine.newCard(holder, '20'), await mine.newCard(holder, '20')] as const;
      const send = async (fields: object) => {
        const body = { amount: '10', merchant: 'Shop', ...fields };
        return expectBody<Transaction & { occurredAt: string }>(
          await mine.post('/api/v1/sandbox/transactions', body),
          201,
        );
      };
      const one = await send({ cardId: cards[0] });
      const two = await send({ cardId: cards[1], type: 'refund' });
      const three = await send({ cardId: cards[1], amount: '99' });
      const ids = async (query: string) =>
        (await mine.list<Transaction>(`/api/v1/transactions${query}`)).data.map(({ id }) => id).sort();
      expect(await ids('')).toEqual([one.id, two.id, three.id].sort());
      expect(await ids(`?cardId=${cards[1]}`)).toEqual([two.id, three.id].sort());
      expect(await ids('?type=refund')).toEqual([two.id]);
      expect(await ids('?status=declined')).toEqual([three.id]);
      expect(await ids(`?cardId=${cards[0]}&status=completed&type=purchase`)).toEqual([one.id]);
      expect(await ids(`?from=${one.occurredAt}&to=${three.occurredAt}`)).toEqual([one.id, two.id, three.id].sort());
      expect(await ids(`?to=${shifted(one.occurredAt, -1)}`)).toEqual([]);
      expect(await ids(`?from=${shifted(three.occurredAt, 1)}`)).toEqual([]);
      expect(await ids(`?cardId=${nowhere}`)).toEqual([]);
      for (const query of ['?card=x', '?cardId=x', '?type=gift', '?status=done', '?from=today', '?limit=1.5']) {
        expect(codeOf(await mine.get(`/api/v1/transactions${query}`))).toEqual([400, 'validation_failed']);
      }
    });

    it.each<readonly [string, readonly [number, string], (cardId: string) => object]>([
      ['an unknown card', [404, 'not_found'], () => ({ cardId: nowhere })],
      ['an invalid id', [404, 'not_found'], () => ({ cardId: 'mine' })],
      ['a zero amount', [400, 'validation_failed'], (cardId) => ({ cardId, amount: '0' })],
      ['a number', [400, 'validation_failed'], (cardId) => ({ cardId, amount: 10 })],
      ['an unknown type', [400, 'validation_failed'], (cardId) => ({ cardId, type: 'gift' })],
      ['a country in words', [400, 'validation_failed'], (cardId) => ({ cardId, country: 'Holland' })],
      ['no merchant', [400, 'validation_failed'], (cardId) => ({ cardId, merchant: undefined })],
      ['an unknown field', [400, 'validation_failed'], (cardId) => ({ cardId, currency: 'USD' })],
      ['a status', [400, 'validation_failed'], (cardId) => ({ cardId, status: 'pending' })],
    ])('is rejected for %s', async (_, refusal, fields) => {
      const { data } = await account.list<Card>('/api/v1/cards?limit=1');
      expect(codeOf(await pay(fields(data[0]!.id)))).toEqual(refusal);
    });
  });
});

function shifted(instant: string, milliseconds: number): string {
  return new Date(Date.parse(instant) + milliseconds).toISOString();
}
