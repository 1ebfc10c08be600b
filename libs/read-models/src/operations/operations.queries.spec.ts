import type { OperationCommand } from '@florin/operations-domain';
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
import { rowOf, saveOperations } from './operation-rows';
import { operationsProjection } from './operations.projection';
import { OperationQueries } from './operations.queries';
import * as commands from './testing/operation-commands';
import { UnfinishedOperationsQuery } from './unfinished-operations.query';

const { abandon, complete, fail, note, orderOf, queue, record, resolve, start } = commands;
const operation = (number: number): string => idOf('operation', number);

let database: ReadModelDatabase;
let queries: OperationQueries;

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new OperationQueries(database.reads, upToDate);
  await write(...history);
});
afterAll(() => database.close());

async function write(...list: readonly OperationCommand[]): Promise<void> {
  const log = operationsLog();
  for (const command of list) {
    log.clock.advance(1_000);
    expect(await log.operation(command)).toMatchObject({ ok: true, repeated: false });
  }
  await database.project(operationsProjection, await log.events());
}

const at = (second: number): string => `2030-01-01T09:00:0${second}.500Z`;
const queued = (number: number, owner: Owner, details: Parameters<typeof orderOf>[2]): OperationCommand =>
  queue(orderOf(operation(number), owner, details));

/** One operation of each type and status; those of the same second are sorted by id. */
const history: readonly OperationCommand[] = [
  queued(1, acme, { createdAt: at(1), cardId: idOf('card', 1), name: 'Travel', metadata: { order: '4711', '%': '"' } }),
  queued(2, acme, { createdAt: at(2), cardId: idOf('card', 2) }),
  queued(3, acme, { createdAt: at(2), type: 'topup', cardId: idOf('card', 1), holderId: undefined }),
  queued(4, acme, { createdAt: at(2), type: 'service', cardId: undefined, holderId: undefined, recipient: 'Ödön' }),
  queued(5, acme, { createdAt: at(3), cardId: idOf('card', 5) }),
  queued(6, acmeLive, { createdAt: at(4) }),
  queued(7, ida, { createdAt: at(5), cardId: idOf('card', 1) }),
  start(operation(1)),
  record(operation(1), { outcome: 'accepted', receipt: 'R-1' }),
  complete(operation(1)),
  start(operation(2)),
  start(operation(3)),
  record(operation(3), { outcome: 'declined', code: 'declined', message: 'No' }),
  fail(operation(3)),
  start(operation(4)),
  abandon(operation(4)),
  note(operation(4), 1, { outcome: 'accepted', receipt: 'R-4' }),
  note(operation(4), 2, { outcome: 'declined', code: 'x', message: 'y' }, '7.00'),
  start(operation(7)),
  abandon(operation(7)),
  resolve(operation(7), 'failed'),
];

const completed = {
  ...{ id: operation(1), environment: 'sandbox', type: 'issue', status: 'completed' },
  ...{ amount: '100.00', fee: '3.20', total: '103.20', currency: 'USD', productId: 'virtual-usd' },
  ...{ holderId: idOf('holder', 1), cardId: idOf('card', 1), name: 'Travel', metadata: { order: '4711', '%': '"' } },
  ...{ result: { cardId: idOf('card', 1), receipt: 'R-1' }, createdAt: at(1), updatedAt: '2030-01-01T10:00:10.000Z' },
};

describe('The number of unfinished operations of a card', () => {
  it('counts those of the owner that have not ended', async () => {
    const count = (owner: Owner, card: number) => queries.countUnfinished(owner, idOf('card', card));
    expect(await Promise.all([count(acme, 1), count(acme, 2), count(ida, 1), count(ida, 2)])).toEqual([0, 1, 1, 0]);
    await expect(queries.countUnfinished(acme, 'no uuid')).resolves.toBe(0);
  });
});

describe('Reading one operation', () => {
  it('returns its current state', async () => {
    expect(await queries.find(acme, operation(1))).toStrictEqual(completed);
    expect(await queries.find(acme, operation(5))).toStrictEqual({
      ...{ id: operation(5), environment: 'sandbox', type: 'issue', status: 'queued' },
      ...{ amount: '100.00', fee: '3.20', total: '103.20', currency: 'USD', productId: 'virtual-usd' },
      ...{ holderId: idOf('holder', 1), result: {}, createdAt: at(3), updatedAt: at(3) },
    });
    const failed = await queries.find(acme, operation(3));
    expect(failed).toMatchObject({ status: 'failed', result: {}, failure: { code: 'declined', message: 'No' } });
  });

  it('finds nothing of another company or environment, or under an invalid id', async () => {
    for (const owner of [acmeLive, ida]) expect(await queries.find(owner, operation(1))).toBeUndefined();
    for (const id of ['', 'nobody', `${operation(1)} `, operation(99)]) {
      expect(await queries.find(acme, id)).toBeUndefined();
    }
  });
});

describe('Stalled operations', () => {
  const numbersOf = async (before: string, limit = 10) => {
    const ids = await new UnfinishedOperationsQuery(database.pool).unchangedSince(new Date(before), limit);
    return ids.map((id) => Number(id.slice(-3)));
  };

  it('are queued, processing or resolved, longest-waiting first', async () => {
    // Queued at 5 and 6, started at 11, resolved at 21. Omits those that wait for an operator or have ended.
    expect(await numbersOf('2030-01-01T12:00:00.000Z')).toEqual([5, 6, 2, 7]);
    expect(await numbersOf('2030-01-01T12:00:00.000Z', 2)).toEqual([5, 6]);
    expect(await numbersOf('2030-01-01T10:00:11.000Z')).toEqual([5, 6]);
    expect(await numbersOf('2030-01-01T10:00:11.001Z')).toEqual([5, 6, 2]);
    expect(await numbersOf('2030-01-01T10:00:05.000Z')).toEqual([]);
  });

  it('do not include accepted operations that the process has not queued yet', async () => {
    const row = rowOf(orderOf(operation(8), acme, {}), '2030-01-01T08:00:00.000Z');
    const client = await database.pool.connect();
    try {
      await saveOperations([row], client);
      expect(await numbersOf('2030-01-01T10:00:05.000Z')).toEqual([]);
      await saveOperations([{ ...row, revision: 0 }], client);
      expect(await numbersOf('2030-01-01T10:00:05.000Z')).toEqual([8]);
    } finally {
      await client.query('DELETE FROM read_models.operations WHERE id = $1', [operation(8)]);
      client.release();
    }
  });
});

describe('Listing operations', () => {
  const numbersOf = async (filter: Parameters<typeof queries.list>[1], owner: Owner = acme) => {
    const views = await queries.list(owner, filter, {});
    return views.map(({ id }) => Number(id.slice(-3)));
  };

  it('returns those of one company and environment, newest first, and by id for the same time', async () => {
    expect(await numbersOf({})).toEqual([5, 4, 3, 2, 1]);
    expect(await numbersOf({}, acmeLive)).toEqual([6]);
    expect(await numbersOf({}, ida)).toEqual([7]);
    expect((await queries.list(acme, {}, {}))[4]).toStrictEqual(completed);
  });

  it('filters by type, status and card', async () => {
    expect(await numbersOf({ type: 'issue' })).toEqual([5, 2, 1]);
    expect(await numbersOf({ type: 'topup' })).toEqual([3]);
    expect(await numbersOf({ status: 'queued' })).toEqual([5]);
    expect(await numbersOf({ status: 'processing' })).toEqual([2]);
    expect(await numbersOf({ status: 'manual_review' })).toEqual([4]);
    expect(await numbersOf({ cardId: idOf('card', 1) })).toEqual([3, 1]);
    expect(await numbersOf({ cardId: idOf('card', 1), type: 'issue', status: 'completed' })).toEqual([1]);
    expect(await numbersOf({ cardId: idOf('card', 99) })).toEqual([]);
    expect(await numbersOf({ cardId: 'no card' })).toEqual([]);
  });

  it('filters by metadata', async () => {
    expect(await numbersOf({ metadata: { order: '4711' } })).toEqual([1]);
    expect(await numbersOf({ metadata: { order: '4711', '%': '"' }, type: 'issue', cardId: idOf('card', 1) })).toEqual([
      1,
    ]);
    expect(await numbersOf({ metadata: { order: '4712' } })).toEqual([]);
    expect(await numbersOf({ metadata: { order: '4711' }, status: 'failed' })).toEqual([]);
    expect(await numbersOf({ metadata: { order: '4711' } }, ida)).toEqual([]);
  });

  it('filters by inclusive times to the millisecond', async () => {
    expect(await numbersOf({ createdFrom: at(2) })).toEqual([5, 4, 3, 2]);
    expect(await numbersOf({ createdFrom: '2030-01-01T09:00:02.501Z' })).toEqual([5]);
    expect(await numbersOf({ createdTo: at(2) })).toEqual([4, 3, 2, 1]);
    expect(await numbersOf({ createdTo: '2030-01-01T09:00:02.499Z' })).toEqual([1]);
    expect(await numbersOf({ createdFrom: at(2), createdTo: at(2), type: 'service' })).toEqual([4]);
    expect(await numbersOf({ createdFrom: at(3), createdTo: at(2) })).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6])('returns pages of %i without gaps or repeats', async (limit) => {
    const all = (await queries.list(acme, {}, {})).map(({ id }) => id);
    const paged = await readToEnd(
      (page) => queries.list(acme, {}, page),
      limit,
      ({ createdAt }) => createdAt,
    );
    expect(paged).toEqual(all);
    const issues = await readToEnd(
      (page) => queries.list(acme, { type: 'issue', createdTo: at(3) }, page),
      limit,
      ({ createdAt }) => createdAt,
    );
    expect(issues).toEqual([operation(5), operation(2), operation(1)]);
  });

  it('returns the initial items exactly once while others are added and changed', async () => {
    const owner = { companyId: 'c0ffee00-0000-4000-8000-000000000009', environment: 'sandbox' } as const;
    const order = (number: number, createdAt: string) => queue(orderOf(operation(number), owner, { createdAt }));
    const early = Array.from({ length: 9 }, (_, index) => order(100 + index, at(index)));
    await write(...early);
    let added = 200;
    const between = async (): Promise<void> => {
      added += 4;
      // Newer than all, older than all, between them, and at the same time as one of them.
      const times = [
        `2031-01-01T00:00:00.${added}Z`,
        `2029-01-01T00:00:00.${added}Z`,
        '2030-01-01T09:00:04.700Z',
        at(4),
      ];
      await write(...times.map((time, index) => order(added + index, time)), start(operation(added)));
    };
    const ids = await readToEnd(
      (page) => queries.list(owner, {}, page),
      2,
      ({ createdAt }) => createdAt,
      between,
    );
    expect(new Set(ids).size).toBe(ids.length);
    const initial = ids.filter((id) => Number(id.slice(-3)) < 200);
    expect(initial).toEqual(early.map(({ data }) => data.operationId).reverse());
  });
});

describe('While the read model is behind', () => {
  it('every query is rejected', async () => {
    const stale = new OperationQueries(database.reads, behind);
    await allRejectedAsStale([stale.find(acme, operation(1)), stale.list(acme, {}, {})]);
  });
});
