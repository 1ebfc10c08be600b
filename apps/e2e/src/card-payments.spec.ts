import { randomUUID } from 'node:crypto';
import { type Account, codeOf, expectBody } from './harness/account';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';

interface Transaction {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly clearedAmount: string;
  readonly updatedAt: string;
}

describe('authorizations with a sandbox card', () => {
  let account: Account;
  let cardId: string;

  beforeAll(async () => {
    account = await new Operator(await sharedFlorin()).newAccount('10000.00');
  });
  beforeEach(async () => {
    cardId = await account.newCard(await account.newHolder(), '100');
  });

  const pay = (fields: object) =>
    account.post('/api/v1/sandbox/transactions', { cardId, amount: '30', merchant: 'Coffee House', ...fields });
  const authorize = async (fields: object = {}) =>
    expectBody<Transaction>(await pay({ capture: false, ...fields }), 201);
  const report = (id: string, verb: string, body?: object, headers?: Record<string, string>) =>
    account.post(`/api/v1/sandbox/transactions/${id}/${verb}`, body, headers);
  const reported = async (id: string, verb: string, body?: object) =>
    expectBody<Transaction>(await report(id, verb, body), 200);
  const money = async () => {
    const { balance, available } = await account.card(cardId);
    return [balance, available];
  };

  it('hold money until they are cleared', async () => {
    const authorized = await authorize({ merchantCategory: '5814', originalAmount: '27.5', originalCurrency: 'EUR' });
    expect(authorized).toMatchObject({
      ...{ status: 'pending', amount: '30.00', authorizedAmount: '30.00', clearedAmount: '0.00' },
      ...{ merchantCategory: '5814', originalAmount: '27.50', originalCurrency: 'EUR' },
    });
    expect((await account.get(`/api/v1/transactions/${authorized.id}`)).body).toEqual(authorized);
    expect(await money()).toEqual(['100.00', '70.00']);
    const cleared = await reported(authorized.id, 'clear', {});
    expect(cleared).toMatchObject({ status: 'completed', clearedAmount: '30.00' });
    expect((await account.get(`/api/v1/transactions/${authorized.id}`)).body).toEqual(cleared);
    expect(await money()).toEqual(['70.00', '70.00']);
  });

  it('are cleared for less, in parts, and for more than authorized', async () => {
    const { id } = await authorize();
    const first = await reported(id, 'clear', { amount: '10', final: false });
    expect(first).toMatchObject({ status: 'pending', clearedAmount: '10.00' });
    expect(await money()).toEqual(['90.00', '70.00']);
    expect(await reported(id, 'clear', { amount: '5' })).toMatchObject({ status: 'completed', clearedAmount: '15.00' });
    expect(await money()).toEqual(['85.00', '85.00']);

    const other = await authorize({ amount: '20' });
    expect(codeOf(await report(other.id, 'clear', { amount: '85.01' }))).toEqual([400, 'insufficient_card_balance']);
    expect(await money()).toEqual(['85.00', '65.00']);
    expect(await reported(other.id, 'clear', { amount: '85' })).toMatchObject({ clearedAmount: '85.00' });
    expect(await money()).toEqual(['0.00', '0.00']);
  });

  it.each([
    ['reverse', 'reversed'],
    ['expire', 'expired'],
  ])('release the money after %s', async (verb, status) => {
    const { id } = await authorize();
    expect((await report(id, verb)).body).toMatchObject({ status, authorizedAmount: '30.00', clearedAmount: '0.00' });
    expect(await money()).toEqual(['100.00', '100.00']);
    expect(codeOf(await report(id, 'clear', {}))).toEqual([409, 'idempotency_conflict']);
  });

  it('are refunded at most once', async () => {
    const { id } = await authorize();
    await reported(id, 'clear', { amount: '20' });
    const refund = await report(id, 'refund', { amount: '15' });
    expect([refund.status, refund.body]).toMatchObject([201, { type: 'refund', status: 'completed', amount: '15.00' }]);
    expect((await account.get(`/api/v1/transactions/${String(refund.body['id'])}`)).body).toEqual(refund.body);
    expect(codeOf(await report(id, 'refund', {}))).toEqual([409, 'idempotency_conflict']);
    expect(codeOf(await report(id, 'reverse'))).toEqual([409, 'idempotency_conflict']);
    expect((await report(id, 'refund', { amount: '5' })).status).toBe(201);
    expect(await money()).toEqual(['100.00', '100.00']);
  });

  it('return the original response to a repeated clearing', async () => {
    const { id } = await authorize();
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await report(id, 'clear', { amount: '4', final: false }, headers);
    const again = await report(id, 'clear', { amount: '4', final: false }, headers);
    expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([200, 'true', first.body]);
    expect(await money()).toEqual(['96.00', '70.00']);
  });

  it('cannot both have the last dollar', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await authorize({ amount: '50' })).status),
    );
    expect(statuses.filter((status) => status === 'pending')).toHaveLength(2);
    expect(await money()).toEqual(['100.00', '0.00']);
    const { data } = await account.list<Record<string, string>>(
      `/api/v1/transactions?cardId=${cardId}&status=declined`,
    );
    expect(new Set(data.map((declined) => declined['declineReason']))).toEqual(new Set(['insufficient_card_balance']));
  });

  it('of another company are not found', async () => {
    const { id } = await authorize();
    const stranger = await new Operator(await sharedFlorin()).newAccount('10.00');
    for (const path of [`/api/v1/transactions/${id}`]) expect((await stranger.get(path)).status).toBe(404);
    for (const verb of ['clear', 'reverse', 'expire', 'refund']) {
      const body = verb === 'clear' || verb === 'refund' ? {} : undefined;
      const response = await stranger.post(`/api/v1/sandbox/transactions/${id}/${verb}`, body);
      expect(codeOf(response)).toEqual([404, 'not_found']);
    }
    expect(await money()).toEqual(['100.00', '70.00']);
  });

  describe('limits', () => {
    const change = async (changes: object) =>
      expectBody(await account.send('PATCH', `/api/v1/cards/${cardId}`, { body: changes }), 200);
    const outcome = async (fields: object) => {
      const { body } = await pay(fields);
      return body['declineReason'] ?? body['status'];
    };

    it('decline what they do not allow, and are shown with name and metadata', async () => {
      const limits = {
        perTransaction: '40',
        daily: '50',
        countries: { deny: ['RU'] },
        merchantCategories: { allow: ['5814'] },
      };
      const metadata = { team: 'sales' };
      const changed = await change({ name: 'Team', limits, metadata });
      const shown = { ...limits, perTransaction: '40.00', daily: '50.00' };
      expect(changed).toMatchObject({ name: 'Team', limits: shown, metadata });
      expect(await account.card(cardId)).toEqual(changed);
      const food = { merchantCategory: '5814' };
      expect(await outcome({})).toBe('merchant_not_allowed');
      expect(await outcome({ ...food, country: 'RU' })).toBe('country_not_allowed');
      expect(await outcome({ ...food, amount: '40.01' })).toBe('limit_exceeded');
      expect(await outcome({ ...food, amount: '30' })).toBe('completed');
      expect(await outcome({ ...food, amount: '20.01' })).toBe('limit_exceeded');
      await change({ limits: { daily: null, merchantCategories: null } });
      expect((await account.card(cardId)) as object).toMatchObject({
        limits: { perTransaction: '40.00', countries: { deny: ['RU'] } },
      });
      expect(await outcome({ amount: '20.01' })).toBe('completed');
    });

    it('hold for concurrent payments', async () => {
      await change({ limits: { daily: '30' } });
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcome({ amount: '10', capture: false })));
      expect(outcomes.filter((status) => status === 'pending')).toHaveLength(3);
      expect(outcomes.filter((status) => status === 'limit_exceeded')).toHaveLength(5);
      expect(await money()).toEqual(['100.00', '70.00']);
    });

    it.each([
      [{}, 'validation_failed'],
      [{ limits: { daily: '-1' } }, 'validation_failed'],
      [{ limits: { countries: { allow: ['Netherlands'] } } }, 'validation_failed'],
    ])('are rejected: %j', async (changes, code) => {
      expect(codeOf(await account.send('PATCH', `/api/v1/cards/${cardId}`, { body: changes }))).toEqual([400, code]);
    });
  });

  it('are declined on a card that the issuer has blocked or that has expired', async () => {
    const reportStatus = (status: string) => account.post(`/api/v1/sandbox/cards/${cardId}/status`, { status });
    const reasonOf = async () => (await pay({})).body['declineReason'];
    for (const [status, reason] of [
      ['blocked', 'card_not_active'],
      ['active', undefined],
      ['expired', 'card_not_active'],
    ] as const) {
      expect((await reportStatus(status)).body).toMatchObject({ status });
      expect((await account.card(cardId)).status).toBe(status);
      expect(await reasonOf()).toBe(reason);
    }
    expect(codeOf(await reportStatus('active'))).toEqual([400, 'card_not_active']);
    expect(codeOf(await account.post(`/api/v1/cards/${cardId}/freeze`))).toEqual([400, 'card_not_active']);
  });

  it('are declined on a card that an operator has blocked', async () => {
    const operator = new Operator(await sharedFlorin());
    const block = async (status: string) =>
      expectBody(await operator.post(`/operator/v1/cards/${cardId}/status`, { status }), 200);
    expect(await block('blocked')).toMatchObject({ id: cardId, status: 'blocked' });
    expect((await pay({})).body).toMatchObject({ status: 'declined', declineReason: 'card_not_active' });
    expect(await block('active')).toMatchObject({ status: 'active' });
    expect((await pay({})).body).toMatchObject({ status: 'completed' });
  });
});
