import { sampleLog } from '@florin/audit/testing';
import type { Write } from '../load/journal';
import { LoadAccount } from '../load/load-account';
import { funding, issue, refusals } from '../load/wishes';
import { Effects } from './effects';
import { History } from './history';

const account = new LoadAccount('Acme', 'acme', 'sandbox', 'key', ['holder']);
const write = (wish: Write['wish']): Write => ({ number: 0, wish, attempts: [], outcome: 'acknowledged' });

describe('The effects of a wish', () => {
  const effects = new Effects(History.of(sampleLog));
  const doubled = new Effects(History.of([...sampleLog, ...sampleLog]));

  it('are found by its amount, on its own account alone', () => {
    const order = issue(account, 'holder', 0);
    const wish = { ...order, body: { ...order.body, amount: '100.00' } };
    expect(effects.of(write(wish))).toMatchObject([{ stream: 'operation-1', type: 'OperationQueued' }]);
    expect(doubled.of(write(wish))).toHaveLength(2);
    const other = new LoadAccount('Other', 'other', 'sandbox', 'key', []);
    expect(effects.of(write({ ...wish, account: other }))).toEqual([]);
    expect(effects.of(write(funding(account, 1_000)))).toMatchObject([{ type: 'FundsDeposited' }]);
  });

  it('are none where the wish was not even an amount', () => {
    expect(effects.of(write(refusals.notAnAmount(account)))).toEqual([]);
  });
});

describe('Wishes', () => {
  it('have an amount of their own, and the total that the price list makes of it', () => {
    const orders = Array.from({ length: 200 }, () => issue(account, 'holder', 37).body as Record<string, string>);
    expect(new Set(orders.map(({ amount }) => amount)).size).toBe(200);
    const another = new LoadAccount('Acme', 'acme', 'sandbox', 'key', []);
    // 10.37 and 3.00 and 0.2 % of it, which is 0.02.
    expect(issue(another, 'holder', 37).body).toMatchObject({ amount: '10.37', expectedTotal: '13.39' });
  });
});
