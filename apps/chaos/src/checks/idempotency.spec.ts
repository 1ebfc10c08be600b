import { sampleLog } from '@florin/audit/testing';
import type { Write } from '../load/journal';
import { LoadAccount } from '../load/load-account';
import { funding, issue, rejections } from '../load/requests';
import { Effects } from './effects';
import { History } from './history';

const account = new LoadAccount('Acme', 'acme', 'sandbox', 'key', ['holder']);
const write = (request: Write['request']): Write => ({ number: 0, request, attempts: [], outcome: 'acknowledged' });

describe('The effects of a request', () => {
  const effects = new Effects(History.of(sampleLog));
  const doubled = new Effects(History.of([...sampleLog, ...sampleLog]));

  it('are found by its amount, on its own account only', () => {
    const order = issue(account, 'holder', 0);
    const request = { ...order, body: { ...order.body, amount: '100.00' } };
    expect(effects.of(write(request))).toMatchObject([{ stream: 'operation-1', type: 'OperationQueued' }]);
    expect(doubled.of(write(request))).toHaveLength(2);
    const other = new LoadAccount('Other', 'other', 'sandbox', 'key', []);
    expect(effects.of(write({ ...request, account: other }))).toEqual([]);
    expect(effects.of(write(funding(account, 1_000)))).toMatchObject([{ type: 'FundsDeposited' }]);
  });

  it('are empty when the request has no valid amount', () => {
    expect(effects.of(write(rejections.notAnAmount(account)))).toEqual([]);
  });
});

describe('Requests', () => {
  it('have a unique amount, and the total of the price list', () => {
    const orders = Array.from({ length: 200 }, () => issue(account, 'holder', 37).body as Record<string, string>);
    expect(new Set(orders.map(({ amount }) => amount)).size).toBe(200);
    const another = new LoadAccount('Acme', 'acme', 'sandbox', 'key', []);
    // 10.37 plus 3.00 plus 0.2 %, which is 0.02.
    expect(issue(another, 'holder', 37).body).toMatchObject({ amount: '10.37', expectedTotal: '13.39' });
  });
});
