import type { Metadata } from '@florin/kernel';
import type { CardCommand } from '@florin/operations-domain';
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
import { cardsProjection } from './cards.projection';
import { CardQueries } from './cards.queries';
import { issue, report, topUp, changeStatus } from './testing/card-commands';

const card = (number: number): string => idOf('card', number);
const at = (second: number): string => `2030-01-01T09:00:0${second}.500Z`;

let database: ReadModelDatabase;
let queries: CardQueries;

async function write(...list: readonly CardCommand[]): Promise<void> {
  const log = operationsLog();
  for (const command of list) expect(await log.card(command)).toMatchObject({ ok: true, repeated: false });
  await database.project(cardsProjection, await log.events());
}

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new CardQueries(database.reads, upToDate);
  await write(
    issue(1, acme, { createdAt: at(1), cardReference: 'one' }),
    issue(2, acme, { createdAt: at(2), holderId: idOf('holder', 2), cardReference: 'two' }),
    issue(3, acme, { createdAt: at(2), productId: 'null' }),
    issue(4, acmeLive, { createdAt: at(3), cardReference: 'two' }),
    issue(5, ida, { createdAt: at(4) }),
    topUp(1, 11, '7.77'),
    report(1, acme, 1),
    changeStatus('FreezeCard', 3, acme),
  );
});
afterAll(() => database.close());

const first = {
  ...{ id: card(1), name: 'Travel', holderId: idOf('holder', 1), last4: '4242', status: 'active' },
  ...{ limits: {}, metadata: {} },
  ...{ balance: '95.27', available: '95.27', productId: 'virtual-usd', createdAt: at(1) },
  updatedAt: expect.any(String) as string,
};

describe('Reading a card', () => {
  it('returns it with only the last digits', async () => {
    expect(await queries.find(acme, card(1))).toStrictEqual(first);
  });

  it('finds nothing of another company or environment, or under an invalid id', async () => {
    for (const owner of [acmeLive, ida]) expect(await queries.find(owner, card(1))).toBeUndefined();
    for (const id of ['', 'nobody', card(99)]) expect(await queries.find(acme, id)).toBeUndefined();
  });
});

describe('Listing cards', () => {
  const numbersOf = async (filter: Parameters<typeof queries.list>[1], owner: Owner = acme) => {
    const views = await queries.list(owner, filter);
    return views.map(({ id }) => Number(id.slice(-3)));
  };

  it('returns those of one company and environment, newest first', async () => {
    expect(await numbersOf({})).toEqual([3, 2, 1]);
    expect(await numbersOf({}, acmeLive)).toEqual([4]);
    expect(await numbersOf({}, ida)).toEqual([5]);
    expect((await queries.list(acme, {}))[2]).toStrictEqual(first);
  });

  it('filters by status, holder and product', async () => {
    expect(await numbersOf({ status: 'active' })).toEqual([2, 1]);
    expect(await numbersOf({ status: 'frozen' })).toEqual([3]);
    expect(await numbersOf({ holderId: idOf('holder', 2) })).toEqual([2]);
    expect(await numbersOf({ holderId: idOf('holder', 1), status: 'active' })).toEqual([1]);
    expect(await numbersOf({ productId: 'null' })).toEqual([3]);
    expect(await numbersOf({ holderId: 'nobody' })).toEqual([]);
  });

  it('filters by metadata, together with the others and in pages', async () => {
    const owner = { companyId: 'c0ffee00-0000-4000-8000-000000000990', environment: 'sandbox' } as const;
    const change = (number: number, metadata: Metadata): CardCommand => ({
      type: 'ChangeCard',
      data: {
        ...{ cardId: card(number), accountId: `${owner.companyId}-sandbox`, requestId: 'p1', requestedAt: at(5) },
        metadata,
      },
    });
    await write(
      ...[1, 2, 3, 4].map((second) => issue(900 + second, owner, { createdAt: at(second) })),
      change(901, { team: 'sales', city: 'Delft' }),
      change(902, { team: 'sales' }),
      change(903, { team: 'sales', city: 'Delft' }),
      changeStatus('FreezeCard', 903, owner),
    );
    const found = (filter: Parameters<typeof queries.list>[1]) => numbersOf(filter, owner);
    expect(await found({ metadata: { team: 'sales' } })).toEqual([903, 902, 901]);
    expect(await found({ metadata: { team: 'sales', city: 'Delft' } })).toEqual([903, 901]);
    expect(await found({ metadata: { team: 'sales' }, status: 'active' })).toEqual([902, 901]);
    expect(await found({ metadata: { team: 'Sales' } })).toEqual([]);
    const [first] = await queries.list(owner, { metadata: { team: 'sales' } }, { limit: 1 });
    const after = { id: first!.id, createdAt: first!.createdAt };
    const next = await queries.list(owner, { metadata: { team: 'sales' } }, { limit: 1, after });
    expect([first!.id, ...next.map(({ id }) => id)]).toEqual([card(903), card(902)]);
  });

  it.each([1, 2, 3, 4])('returns pages of %i while items are added', async (limit) => {
    const owner = { companyId: `c0ffee00-0000-4000-8000-0000000001${limit}0`, environment: 'sandbox' } as const;
    const cards = Array.from({ length: 7 }, (_, index) =>
      issue(limit * 100 + index, owner, { createdAt: at(index % 3) }),
    );
    await write(...cards);
    const all = (await queries.list(owner, {})).map(({ id }) => id);
    let added = limit * 100 + 50;
    const between = (): Promise<void> => write(issue(++added, owner, { createdAt: at(1) }));
    const ids = await readToEnd(
      (page) => queries.list(owner, {}, page),
      limit,
      ({ createdAt }) => createdAt,
      between,
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => all.includes(id))).toEqual(all);
  });
});

describe('The owner of a card', () => {
  it('is found by card id', async () => {
    const { companyId } = acme;
    const owner = { cardId: card(4), companyId, environment: 'live', accountId: `${companyId}-live` };
    expect(await queries.findAnywhere(card(4))).toStrictEqual(owner);
    expect(await queries.findAnywhere(card(99))).toBeUndefined();
    expect(await queries.findAnywhere('nobody')).toBeUndefined();
  });

  it("is found by the issuer's reference, unless two cards have the same one", async () => {
    expect(await queries.findByReference('one')).toMatchObject({ cardId: card(1), environment: 'sandbox' });
    expect(await queries.findByReference('two')).toBeUndefined();
    expect(await queries.findByReference('three\0')).toBeUndefined();
  });
});

describe('While the read model is behind', () => {
  it('every query is rejected', async () => {
    const stale = new CardQueries(database.reads, behind);
    const pending = [stale.find(acme, card(1)), stale.list(acme, {}), stale.findAnywhere(card(1))];
    await allRejectedAsStale([...pending, stale.findByReference('one')]);
  });
});
