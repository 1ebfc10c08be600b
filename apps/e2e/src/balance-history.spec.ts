import type { Account } from './harness/account';
import { utcDate } from './harness/client';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';

describe('the history of the balance', () => {
  let acme: Account;
  let other: Account;

  beforeAll(async () => {
    const operator = new Operator(await sharedFlorin());
    acme = await operator.newKey(await operator.newCompany());
    other = await operator.newKey(await operator.newCompany());
    for (const amount of ['10', '20.50']) expect((await acme.fund(amount)).status).toBe(201);
  });

  it('has a day for every date, with the balances at its end and the sums of its entries', async () => {
    const { status, body } = await acme.get(`/api/v1/balance/history?from=${utcDate(-2)}&to=${utcDate(1)}`);
    expect(status).toBe(200);
    const { data, ...head } = body as unknown as { data: { date: string; balance: string; entries: object[] }[] };
    expect(head).toEqual({ from: utcDate(-2), to: utcDate(1), currency: 'USD', environment: 'sandbox' });
    // The test may run at midnight, so the day of the deposits is not asserted.
    expect(data.map(({ date }) => date)).toEqual([utcDate(-2), utcDate(-1), utcDate(0), utcDate(1)]);
    expect(data[0]).toEqual({ date: utcDate(-2), available: '0.00', held: '0.00', balance: '0.00', entries: [] });
    expect(data.at(-1)).toMatchObject({ available: '30.50', held: '0.00', balance: '30.50' });
    const entries = data.flatMap((day) => day.entries) as { kind: string; count: number }[];
    expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['deposit']));
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(2);
  });

  it('shows nothing of other companies', async () => {
    const { body } = await other.get(`/api/v1/balance/history?from=${utcDate(-1)}&to=${utcDate(1)}`);
    for (const day of body['data'] as object[]) expect(day).toMatchObject({ balance: '0.00', entries: [] });
  });

  it('has at most 366 days', async () => {
    const year = await other.get('/api/v1/balance/history?from=2029-01-01&to=2030-01-01');
    expect(year.body['data']).toHaveLength(366);
    const longer = await other.get('/api/v1/balance/history?from=2029-01-01&to=2030-01-02');
    expect([longer.status, longer.body['code']]).toEqual([400, 'statement_too_large']);
    const backwards = await other.get('/api/v1/balance/history?from=2030-01-02&to=2030-01-01');
    expect([backwards.status, backwards.body['code']]).toEqual([400, 'validation_failed']);
  });
});
