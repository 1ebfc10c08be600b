import { type Account, codeOf, expectBody, type Listed, type Operation } from './harness/account';
import type { ApiClient } from './harness/client';
import { Operator } from './harness/operator';
import { Florin } from './harness/florin';
import { issue, service, topup } from './harness/orders';

interface Item {
  readonly id: string;
  readonly createdAt?: string;
  readonly occurredAt?: string;
}

const count = 55;

/** It has its own Florin, because the operator's list of reviews shows those of all companies. */
describe('lists', () => {
  let florin: Florin;
  let operator: Operator;
  let account: Account;
  let holderId: string;
  let cardId: string;

  const times = <Result>(many: number, work: () => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: many }, work));

  const pay = async () => {
    const body = { cardId, amount: '0.01', merchant: 'Shop' };
    return expectBody<Item>(await account.post('/api/v1/sandbox/transactions', body), 201);
  };

  beforeAll(async () => {
    florin = await Florin.start({ env: { RATE_LIMIT_SANDBOX: '0' } });
    operator = new Operator(florin);
    account = await operator.newAccount('100000.00');
    holderId = await account.newHolder();
    cardId = await account.newCard(holderId);
    // Amounts that end in .92 go to review.
    const cards = times(count, () => account.outcomeOf(issue(holderId, '10')));
    const reviews = times(count, () => account.outcomeOf(service('10.92')));
    await Promise.all([cards, reviews, times(count, pay), times(count, () => account.newHolder())]);
  });

  afterAll(async () => {
    expect(await florin.stop()).toBe(0);
    florin.removeData();
  });

  async function page(client: ApiClient, path: string): Promise<Listed<Item>> {
    return expectBody<Listed<Item>>(await client.get(path), 200);
  }

  /** Reads all pages in order and inserts items after the first one. */
  async function walk(
    client: ApiClient,
    path: string,
    limit: number,
    insert: () => Promise<unknown>,
  ): Promise<Item[][]> {
    const separator = path.includes('?') ? '&' : '?';
    const pages: Item[][] = [];
    const inserts: Promise<unknown>[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const position = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const read = await page(client, `${path}${separator}limit=${limit}${position}`);
      pages.push([...read.data]);
      cursor = read.nextCursor;
      inserts.push(insert());
      // Some inserts finish before the next page is read, and some are still in progress.
      if (pages.length % 2 === 1) await Promise.all(inserts);
    }
    await Promise.all(inserts);
    return pages;
  }

  const positionOf = ({ id, createdAt, occurredAt }: Item): string => `${createdAt ?? occurredAt ?? ''} ${id}`;

  const lists: readonly (readonly [string, () => ApiClient, string, () => Promise<unknown>])[] = [
    ['operations', () => account, '/api/v1/operations?type=issue', () => account.order(issue(holderId, '10'))],
    ['transactions', () => account, '/api/v1/transactions', pay],
    ['cards', () => account, '/api/v1/cards', () => account.outcomeOf(issue(holderId, '10'))],
    ['holders', () => account, '/api/v1/holders', () => account.newHolder()],
    ['reviews', () => operator, '/operator/v1/reviews', () => account.outcomeOf(service('10.92'))],
  ];

  it.each(lists)('of %s skip and repeat nothing while items are inserted', async (_, client, path, insert) => {
    // The orders of earlier tests must have ended.
    await Promise.all((await operations('?status=queued')).map(({ id }) => account.untilEnded(id)));
    const separator = path.includes('?') ? '&' : '?';
    const before: Item[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const position = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data, nextCursor } = await page(client(), `${path}${separator}limit=100${position}`);
      before.push(...data);
      cursor = nextCursor;
    }
    expect(before.length).toBeGreaterThanOrEqual(count);
    const pages = await walk(client(), path, 9, insert);
    const sizes = pages.map(({ length }) => length);
    expect(sizes.slice(0, -1)).toEqual(new Array(Math.ceil(before.length / 9) - 1).fill(9));
    expect(pages.flat().map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    // The newest first. Holders do not show when they were created.
    const positions = before.map(positionOf);
    if (!path.includes('holders')) expect(positions).toEqual([...positions].sort().reverse());
    // The first page shows the inserted items.
    expect((await page(client(), `${path}${separator}limit=1`)).data[0]!.id).not.toBe(before[0]!.id);
  });

  const operations = async (query: string): Promise<readonly Operation[]> =>
    (await account.list<Operation>(`/api/v1/operations${query}`)).data;

  it('have 50 items by default, except cards and holders, which are returned in full', async () => {
    for (const path of ['/api/v1/operations', '/api/v1/transactions']) {
      const first = await page(account, path);
      expect([first.data.length, typeof first.nextCursor]).toEqual([50, 'string']);
    }
    for (const path of ['/api/v1/cards', '/api/v1/holders']) {
      const all = await page(account, path);
      expect(all.data.length).toBeGreaterThan(count);
      expect(all).not.toHaveProperty('nextCursor');
    }
  });

  it('end without a cursor, also when the last page is full', async () => {
    const mine = await operator.newAccount();
    expect(await page(mine, '/api/v1/operations')).toEqual({ data: [] });
    for (let holders = 0; holders < 4; holders++) await mine.newHolder();
    const first = await page(mine, '/api/v1/holders?limit=2');
    const second = await page(mine, `/api/v1/holders?limit=2&cursor=${first.nextCursor}`);
    expect([first.data.length, second.data.length, second.nextCursor]).toEqual([2, 2, undefined]);
    // The page size may change between pages.
    expect((await page(mine, `/api/v1/holders?limit=3&cursor=${first.nextCursor}`)).data).toEqual(second.data);
  });

  it('reject the cursor of another list, filter or company', async () => {
    const { nextCursor } = await page(account, '/api/v1/operations?type=issue&limit=2');
    const stranger = await operator.newAccount();
    const cursor = encodeURIComponent(nextCursor!);
    const [payload, signature] = nextCursor!.split('.');
    const forged = Buffer.from(JSON.stringify({ createdAt: '2000-01-01T00:00:00.000Z', id: cardId })).toString(
      'base64url',
    );
    expect((await account.get(`/api/v1/operations?type=issue&cursor=${cursor}`)).status).toBe(200);
    for (const [client, query] of [
      [account, `operations?cursor=${cursor}`],
      [account, `operations?type=topup&cursor=${cursor}`],
      [account, `transactions?cursor=${cursor}`],
      [stranger, `operations?type=issue&cursor=${cursor}`],
      [account, 'operations?type=issue&cursor=x'],
      [account, 'operations?type=issue&cursor='],
      [account, `operations?type=issue&cursor=${payload}`],
      [account, `operations?type=issue&cursor=${forged}.${signature}`],
    ] as const) {
      expect([query, ...codeOf(await client.get(`/api/v1/${query}`))]).toEqual([query, 400, 'validation_failed']);
    }
  });

  it.each([
    'operations?createdFrom=0000-01-01T00:00:00Z',
    'operations?createdTo=9999-12-31T23:59:59-14:00',
    'transactions?from=0001-01-01T00:00:00%2B14:00',
    'transactions?to=9999-12-31T23:59:59-14:00',
    'operations?createdFrom=2026-02-30T00:00:00Z',
    'account-statements?from=0000-01-01&to=0000-01-02',
  ])('reject a time outside the supported range: %s', async (query) => {
    expect(codeOf(await account.get(`/api/v1/${query}`))).toEqual([400, 'validation_failed']);
  });

  it('of operations have filters', async () => {
    const mine = await operator.newAccount('1000.00');
    const holder = await mine.newHolder();
    const issued = await mine.outcomeOf(issue(holder));
    const { cardId: card } = issued.result;
    const loaded = await mine.outcomeOf(topup(card!, '10'));
    const failed = await mine.outcomeOf(service('10.91'));
    const held = await mine.outcomeOf(service('10.92'));
    const ids = async (query: string) =>
      (await mine.list<Operation>(`/api/v1/operations${query}`)).data.map(({ id }) => id);
    expect(await ids('')).toEqual([held.id, failed.id, loaded.id, issued.id]);
    expect(await ids('?type=service')).toEqual([held.id, failed.id]);
    expect(await ids('?status=completed')).toEqual([loaded.id, issued.id]);
    expect(await ids('?status=manual_review&type=service')).toEqual([held.id]);
    expect(await ids('?status=queued')).toEqual([]);
    expect(await ids(`?cardId=${card}`)).toEqual([loaded.id, issued.id]);
    expect(await ids(`?createdFrom=${failed.createdAt}`)).toEqual([held.id, failed.id]);
    expect(await ids(`?createdTo=${loaded.createdAt}`)).toEqual([loaded.id, issued.id]);
    expect(await ids(`?createdFrom=${loaded.createdAt}&createdTo=${failed.createdAt}`)).toEqual([failed.id, loaded.id]);
    expect(await ids('?createdTo=2020-01-01T00:00:00%2B02:00')).toEqual([]);
    for (const query of [
      '?kind=issue',
      '?type=refund',
      '?status=done',
      '?cardId=x',
      '?createdFrom=today',
      '?limit=101',
    ]) {
      expect(codeOf(await mine.get(`/api/v1/operations${query}`))).toEqual([400, 'validation_failed']);
    }
  });
});
