import type { CardCommand } from '@florin/operations-domain';
import { cardsProjection } from '../cards/cards.projection';
import { issue, report } from '../cards/testing/card-commands';
import { operationsLog } from '../testing/operations-log';
import { acme, acmeLive, ida, idOf, type Owner } from '../testing/owners';
import { readToEnd } from '../testing/paging';
import {
  allRejectedAsStale,
  behind,
  readModelDatabase,
  type ReadModelDatabase,
  upToDate,
} from '../testing/read-model-database';
import { TransactionQueries } from './transactions.queries';

const payment = (number: number): string => idOf('payment', number);
const at = (second: number): string => `2030-01-01T09:00:0${second}.500Z`;

let database: ReadModelDatabase;
let queries: TransactionQueries;

async function write(...list: readonly CardCommand[]): Promise<void> {
  const log = operationsLog();
  for (const command of list) expect(await log.card(command)).toMatchObject({ ok: true, repeated: false });
  await database.project(cardsProjection, await log.events());
}

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new TransactionQueries(database.reads, upToDate);
  await write(
    ...[issue(1, acme), issue(2, acme), issue(3, acmeLive), issue(4, ida)],
    report(1, acme, 1, { occurredAt: at(1) }),
    report(1, acme, 2, { occurredAt: at(3), type: 'refund', status: 'pending' }),
    report(2, acme, 3, { occurredAt: at(2), status: 'pending' }),
    report(2, acme, 4, { occurredAt: at(2), amount: '1000.00' }),
    report(3, acmeLive, 5, { occurredAt: at(4) }),
    report(4, ida, 6, { occurredAt: at(5) }),
    report(2, acme, 3, { occurredAt: at(9), status: 'expired' }),
  );
});
afterAll(() => database.close());

const first = {
  ...{ id: payment(1), cardId: idOf('card', 1), reference: 'txn-1', type: 'purchase', status: 'completed' },
  ...{ amount: '12.50', currency: 'USD', merchant: 'Coffee "House", {1}', country: 'NL', description: 'Two espressos' },
  ...{ authorizedAmount: '12.50', clearedAmount: '12.50', occurredAt: at(1) },
  updatedAt: expect.any(String) as string,
};

describe('Reading a transaction', () => {
  it('returns the payment', async () => {
    expect(await queries.find(acme, payment(1))).toStrictEqual(first);
  });

  it('finds nothing of another company or environment, or under an invalid id', async () => {
    for (const owner of [acmeLive, ida]) expect(await queries.find(owner, payment(1))).toBeUndefined();
    for (const id of ['', 'nobody', payment(99)]) expect(await queries.find(acme, id)).toBeUndefined();
  });
});

describe('Listing transactions', () => {
  const numbersOf = async (filter: Parameters<typeof queries.list>[1], owner: Owner = acme) => {
    const views = await queries.list(owner, filter, { limit: 50 });
    return views.map(({ id }) => Number(id.slice(-3)));
  };

  it('returns those of one company and environment, newest first', async () => {
    expect(await numbersOf({})).toEqual([2, 4, 3, 1]);
    expect(await numbersOf({}, acmeLive)).toEqual([5]);
    expect(await numbersOf({}, ida)).toEqual([6]);
    expect((await queries.list(acme, {}, { limit: 4 }))[3]).toStrictEqual(first);
  });

  it('filters by card, type and status', async () => {
    expect(await numbersOf({ cardId: idOf('card', 2) })).toEqual([4, 3]);
    expect(await numbersOf({ cardId: idOf('card', 2), status: 'expired' })).toEqual([3]);
    expect(await numbersOf({ cardId: idOf('card', 2), status: 'expired', type: 'refund' })).toEqual([]);
    expect(await numbersOf({ type: 'refund' })).toEqual([2]);
    expect(await numbersOf({ status: 'declined' })).toEqual([4]);
    expect(await numbersOf({ cardId: 'no card' })).toEqual([]);
  });

  it("does not return payments of another company's card", async () => {
    expect(await numbersOf({ cardId: idOf('card', 4) })).toEqual([]);
    expect(await numbersOf({ cardId: idOf('card', 3) })).toEqual([]);
    expect(await numbersOf({ cardId: idOf('card', 4) }, ida)).toEqual([6]);
  });

  it('filters by inclusive times to the millisecond', async () => {
    expect(await numbersOf({ from: at(2) })).toEqual([2, 4, 3]);
    expect(await numbersOf({ from: '2030-01-01T09:00:02.501Z' })).toEqual([2]);
    expect(await numbersOf({ to: at(2) })).toEqual([4, 3, 1]);
    expect(await numbersOf({ to: '2030-01-01T09:00:02.499Z' })).toEqual([1]);
    expect(await numbersOf({ from: at(2), to: at(2), cardId: idOf('card', 2) })).toEqual([4, 3]);
  });

  it.each([1, 2, 3, 4])('returns pages of %i while items are added', async (limit) => {
    const owner = { companyId: `c0ffee00-0000-4000-8000-0000000002${limit}0`, environment: 'sandbox' } as const;
    const card = limit * 100;
    const pay = (number: number) => report(card, owner, card + number, { occurredAt: at(number % 3), amount: '0.01' });
    const log = operationsLog();
    let projected = 0;
    const add = async (...list: readonly CardCommand[]): Promise<void> => {
      for (const command of list) expect(await log.card(command)).toMatchObject({ ok: true, repeated: false });
      const events = await log.events();
      await database.project(cardsProjection, events.slice(projected));
      projected = events.length;
    };
    await add(issue(card, owner), ...Array.from({ length: 7 }, (_, index) => pay(index)));
    const all = (await queries.list(owner, {}, {})).map(({ id }) => id);
    let added = 10;
    for (const filter of [{}, { cardId: idOf('card', card) }]) {
      const list = (page: Parameters<typeof queries.list>[2]) => queries.list(owner, filter, page);
      const ids = await readToEnd(
        list,
        limit,
        ({ occurredAt }) => occurredAt,
        () => add(pay(++added)),
      );
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => all.includes(id))).toEqual(all);
    }
  });
});

describe('While the read model is behind', () => {
  it('every query is rejected', async () => {
    const stale = new TransactionQueries(database.reads, behind);
    await allRejectedAsStale([stale.find(acme, payment(1)), stale.list(acme, {}, {})]);
  });
});
