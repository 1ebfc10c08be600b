import { randomUUID } from 'node:crypto';
import { type BulkResult, codeOf, type Operation } from './harness/account';
import { sharedFlorin } from './harness/florin';
import { Operator } from './harness/operator';
import { issue, type Order, service, topup, unload } from './harness/orders';
import { until } from './harness/until';

const keyed = (order: Order, idempotencyKey: string = randomUUID()) => ({ idempotencyKey, ...order });

const codesOf = (results: readonly BulkResult[]) => results.map(({ status, error }) => error?.code ?? status);

describe('bulk requests', () => {
  let operator: Operator;

  beforeAll(async () => {
    operator = new Operator(await sharedFlorin());
  });

  it('have the outcome of every operation in order, as if it were requested alone', async () => {
    const account = await operator.newAccount('300.00');
    const holderId = await account.newHolder();
    const cardId = await account.newCard(holderId, '50.00');
    // 300.00 less 53.10 for the card.
    const operations = [
      keyed({ ...issue(holderId, '100.00'), name: 'Travel' }),
      keyed(service('500.00')),
      keyed(topup(cardId, '50.00')),
      keyed({ ...issue(holderId, '10.00'), expectedTotal: '1.00' }),
      keyed(unload(cardId, '20.00')),
      keyed(issue(randomUUID(), '10.00')),
      keyed({ ...service('10.00'), amount: '1e3' }),
      keyed(service('30.91')),
    ];
    const results = await account.operateInBulk(operations);
    expect(codesOf(results)).toEqual([
      ...[201, 'insufficient_funds', 201, 'quote_changed', 201, 'not_found', 'validation_failed', 201],
    ]);
    expect(results.map(({ idempotencyKey }) => idempotencyKey)).toEqual(operations.map((each) => each.idempotencyKey));
    const accepted = results.flatMap(({ operation }) => operation ?? []);
    // Read-your-writes, at once and by every way to read.
    const listed = await account.list<Operation>('/api/v1/operations');
    expect(listed.data.map(({ id }) => id)).toEqual(expect.arrayContaining(accepted.map(({ id }) => id)));
    const ended = await Promise.all(accepted.map(({ id }) => account.untilEnded(id)));
    expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'failed']);
    // Less 103.20 and 50.10, plus 20.00; the service was declined.
    expect(await account.funds()).toEqual(['113.60', '0.00']);
    expect((await account.card(cardId)).balance).toBe('80.00');
    expect((await account.entries(accepted[0]!.id)).map(({ kind }) => kind)).toEqual(['reservation', 'capture', 'fee']);
  });

  it('share their keys with single requests, and return the original outcomes to a repeat', async () => {
    const account = await operator.newAccount('100.00');
    const [first, second, large] = [keyed(service('20.00')), keyed(service('30.00')), keyed(service('80.00'))];
    const { idempotencyKey, ...order } = first;
    const alone = await account.operate(order, idempotencyKey);
    const results = await account.operateInBulk([first, second, large]);
    expect(codesOf(results)).toEqual([201, 201, 'insufficient_funds']);
    expect(results[0]).toEqual({ idempotencyKey, status: 201, replayed: true, operation: alone.body });
    await Promise.all(results.slice(0, 2).map(({ operation }) => account.untilEnded(operation!.id)));
    // A rejected operation has not used up its key.
    await account.fund('50.00');
    const again = await account.operateInBulk([first, second, large, keyed(service('21.00'), idempotencyKey)]);
    expect(codesOf(again)).toEqual([201, 201, 201, 'idempotency_conflict']);
    expect(again.slice(0, 2)).toEqual([results[0], { ...results[1], replayed: true }]);
    const { idempotencyKey: secondKey, ...secondOrder } = second;
    expect((await account.operate(secondOrder, secondKey)).body).toEqual(results[1]!.operation);
    expect(codeOf(await account.operate(order, secondKey))).toEqual([409, 'idempotency_conflict']);
    await account.untilEnded(again[2]!.operation!.id);
    expect(await account.funds()).toEqual(['20.00', '0.00']);
  });

  it('take 500 operations, and none of them twice', async () => {
    const account = await operator.newAccount('499.00');
    const operations = Array.from({ length: 500 }, () => keyed(service('1.00')));
    const [once, twice] = await Promise.all([account.operateInBulk(operations), account.operateInBulk(operations)]);
    for (const results of [once, twice]) {
      expect(results.filter(({ status }) => status === 201)).toHaveLength(499);
      expect(results.at(-1)?.error?.code).toBe('insufficient_funds');
    }
    expect(twice.map(({ operation }) => operation)).toEqual(once.map(({ operation }) => operation));
    const funds = await until(
      'all operations have ended',
      () => account.funds(),
      ([, held]) => held === '0.00',
      60_000,
    );
    expect(funds).toEqual(['0.00', '0.00']);
    const entries = await account.entries();
    expect(entries.filter(({ kind }) => kind === 'reservation')).toHaveLength(499);
    expect(entries.filter(({ kind }) => kind === 'capture')).toHaveLength(499);
  });
});
