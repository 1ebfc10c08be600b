import { testVaultKeys } from '@florin/kernel/testing';
import type { HolderCommand } from '@florin/operations-domain';
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
import { holdersProjection } from './holders.projection';
import { HolderQueries } from './holders.queries';
import { change, erase, personOf, register, setStatus, storeKeys } from './testing/holder-commands';

const holder = (number: number): string => idOf('holder', number);
const at = (second: number): string => `2030-01-01T09:00:0${second}.500Z`;

let database: ReadModelDatabase;
let queries: HolderQueries;

async function write(...list: readonly HolderCommand[]): Promise<void> {
  const log = operationsLog();
  for (const command of list) expect(await log.holder(command)).toMatchObject({ ok: true, repeated: false });
  await storeKeys(database.pool);
  await database.project(holdersProjection(testVaultKeys), await log.events());
}

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new HolderQueries(database.reads, upToDate);
  await write(
    register(1, acme, { createdAt: at(1) }),
    register(2, acme, { createdAt: at(2), kind: 'corporate' }),
    register(3, acme, { createdAt: at(2), status: 'pending' }),
    register(4, acmeLive, { createdAt: at(3), externalId: 'customer-1' }),
    register(5, ida, { createdAt: at(4), externalId: 'customer-1' }),
    setStatus(2, acme, 'blocked'),
    erase(5, ida),
  );
});
afterAll(() => database.close());

const first = {
  ...{ id: holder(1), ...personOf(1), kind: 'individual', status: 'active', externalId: 'customer-1' },
  ...{ createdAt: at(1), updatedAt: at(1) },
};
const erased = {
  ...{ id: holder(5), name: '[erased]', email: '[erased]', kind: 'individual', status: 'inactive' },
  ...{ externalId: 'customer-1', createdAt: at(4), updatedAt: '2030-01-01T10:00:00.000Z' },
};

describe('Reading a holder', () => {
  it('returns the personal data, or that it was erased', async () => {
    expect(await queries.find(acme, holder(1))).toStrictEqual(first);
    expect(await queries.find(ida, holder(5))).toStrictEqual(erased);
  });

  it('finds nothing of another company or environment, or under an invalid id', async () => {
    for (const owner of [acmeLive, ida]) expect(await queries.find(owner, holder(1))).toBeUndefined();
    for (const id of ['', 'nobody', holder(99)]) expect(await queries.find(acme, id)).toBeUndefined();
  });

  it('returns the owner to operators', async () => {
    expect(await queries.findAnywhere(holder(1))).toStrictEqual({ ...first, ...acme });
    expect(await queries.findAnywhere(holder(5))).toStrictEqual({ ...erased, ...ida });
    for (const id of ['nobody', holder(99)]) expect(await queries.findAnywhere(id)).toBeUndefined();
  });
});

describe('Listing holders', () => {
  const numbersOf = async (filter: Parameters<typeof queries.list>[1], owner: Owner = acme) => {
    const views = await queries.list(owner, filter);
    return views.map(({ id }) => Number(id.slice(-3)));
  };

  it('returns those of one company and environment, newest first', async () => {
    expect(await numbersOf({})).toEqual([3, 2, 1]);
    expect(await numbersOf({}, acmeLive)).toEqual([4]);
    expect(await queries.list(ida, {})).toStrictEqual([erased]);
  });

  it('filters by kind, status and external id', async () => {
    expect(await numbersOf({ kind: 'corporate' })).toEqual([2]);
    expect(await numbersOf({ kind: 'individual' })).toEqual([3, 1]);
    expect(await numbersOf({ status: 'pending' })).toEqual([3]);
    expect(await numbersOf({ externalId: 'customer-1' })).toEqual([1]);
    expect(await numbersOf({ externalId: 'customer-1' }, acmeLive)).toEqual([4]);
    expect(await numbersOf({ externalId: 'customer-1', status: 'blocked' })).toEqual([]);
    expect(await numbersOf({ externalId: 'customer-2', kind: 'corporate', status: 'blocked' })).toEqual([2]);
    expect(await numbersOf({ externalId: '\0' })).toEqual([]);
  });

  it('filters by metadata, together with everything else', async () => {
    const owner = { companyId: 'c0ffee00-0000-4000-8000-000000000077', environment: 'sandbox' } as const;
    await write(
      ...[register(71, owner, { createdAt: at(1) }), change(71, owner, { metadata: { team: 'blue', size: 'L' } })],
      ...[
        register(72, owner, { createdAt: at(2) }),
        change(72, owner, { metadata: { team: 'blue' }, status: 'blocked' }),
      ],
      ...[register(73, owner, { createdAt: at(3) }), change(73, owner, { metadata: { team: 'green' } })],
      ...[
        register(74, owner, { createdAt: at(4) }),
        change(74, owner, { metadata: { team: 'blue' } }),
        erase(74, owner),
      ],
    );
    const blue = { metadata: { team: 'blue' } };
    expect(await numbersOf(blue, owner)).toEqual([72, 71]);
    expect(await numbersOf({ metadata: { team: 'blue', size: 'L' } }, owner)).toEqual([71]);
    expect(await numbersOf({ ...blue, status: 'blocked' }, owner)).toEqual([72]);
    expect(await numbersOf({ ...blue, externalId: 'customer-71' }, owner)).toEqual([71]);
    expect(await numbersOf({ metadata: { team: 'red' } }, owner)).toEqual([]);
    expect(await numbersOf(blue)).toEqual([]);
    const [newest] = await queries.list(owner, blue, { limit: 1 });
    expect((await queries.list(owner, blue, { limit: 1, after: newest })).map(({ id }) => id)).toEqual([holder(71)]);
  });

  it('finds an external id in every Unicode form', async () => {
    const owner = { companyId: 'c0ffee00-0000-4000-8000-000000000400', environment: 'sandbox' } as const;
    await write(register(400, owner, { externalId: 'caf\u00e9' }));
    // As an earlier release has stored it.
    await database.pool.query(
      `INSERT INTO read_models.holders SELECT $1, company_id, environment, kind, $2, name, email, created_at, status, revision, metadata, updated_at
       FROM read_models.holders WHERE id = $3`,
      [holder(401), 'cafe\u0301', holder(400)],
    );
    for (const externalId of ['caf\u00e9', 'cafe\u0301']) {
      expect((await queries.list(owner, { externalId })).map(({ id }) => id).sort()).toEqual([
        holder(400),
        holder(401),
      ]);
    }
  });

  it.each([1, 2, 3, 4])('returns pages of %i while items are added', async (limit) => {
    const owner = { companyId: `c0ffee00-0000-4000-8000-0000000003${limit}0`, environment: 'sandbox' } as const;
    const registrations = Array.from({ length: 7 }, (_, index) =>
      register(limit * 100 + index, owner, { createdAt: at(index % 3) }),
    );
    await write(...registrations);
    const all = (await queries.list(owner, {})).map(({ id }) => id);
    let added = limit * 100 + 50;
    const between = (): Promise<void> => write(register(++added, owner, { createdAt: at(1) }));
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

describe('While the read model is behind', () => {
  it('every query is rejected', async () => {
    const stale = new HolderQueries(database.reads, behind);
    await allRejectedAsStale([stale.find(acme, holder(1)), stale.list(acme, {}), stale.findAnywhere(holder(1))]);
  });
});
