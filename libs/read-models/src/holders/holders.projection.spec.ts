import { DecryptionFailed } from '@florin/kernel';
import { testVaultKeys } from '@florin/kernel/testing';
import { holderAggregate, type HolderCommand, type HolderDirectory, type HolderEvent } from '@florin/operations-domain';
import type { RecordedEvent } from '@florin/event-sourcing';
import fc from 'fast-check';
import { type Batches, cutInto, cuts } from '../testing/batches';
import { eventTypesIn } from '../testing/event-types';
import { type OperationsLog, operationsLog } from '../testing/operations-log';
import { acme, ida, idOf } from '../testing/owners';
import { readModelDatabase, type ReadModelDatabase } from '../testing/read-model-database';
import { holdersProjection as createHoldersProjection } from './holders.projection';
import {
  change,
  destroyKey,
  erase,
  holderCommands,
  personOf,
  register,
  setStatus,
  storeKeys,
} from './testing/holder-commands';

const holdersProjection = createHoldersProjection(testVaultKeys);
let database: ReadModelDatabase;
let log: OperationsLog;
let projected: number;

beforeAll(async () => {
  database = await readModelDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.empty('holders');
  log = operationsLog();
  projected = 0;
});

/** Runs a command, projects its events, and returns all rows. */
async function after(command: HolderCommand) {
  expect(await log.holder(command)).toMatchObject({ ok: true, repeated: false });
  await storeKeys(database.pool);
  const events = await log.events();
  await database.project(holdersProjection, events.slice(projected));
  projected = events.length;
  return database.rows('holders');
}

async function rebuilt(...batches: Batches) {
  await database.empty('holders');
  await database.project(holdersProjection, ...batches);
  return database.rows('holders');
}

describe('The holders projection', () => {
  it('follows a holder from registration to erasure, and unseals the name with the key', async () => {
    const registered = {
      ...{ id: idOf('holder', 1), company_id: acme.companyId, environment: 'sandbox', kind: 'individual' },
      ...{ external_id: 'customer-1', ...personOf(1), created_at: new Date('2030-01-01T09:59:59.999Z') },
      ...{ status: 'active', revision: 0, metadata: null, updated_at: new Date('2030-01-01T09:59:59.999Z') },
    };
    expect(await after(register(1, acme))).toEqual([registered]);
    expect(await after(register(2, acme))).toMatchObject([registered, { ...personOf(2), revision: 1 }]);
    const updated_at = new Date('2030-01-01T10:00:00.000Z');
    const blocked = { ...registered, status: 'blocked', revision: 2, updated_at };
    expect(await after(setStatus(1, acme, 'blocked'))).toMatchObject([blocked, { status: 'active' }]);
    expect(await after(erase(1, acme))).toMatchObject([
      { ...blocked, status: 'inactive', name: null, email: null, revision: 3 },
      personOf(2),
    ]);
  });

  it('follows the changes of a company, field by field', async () => {
    await after(register(51, acme));
    const unchanged = { ...personOf(51), status: 'active', metadata: null };
    const metadata = { team: 'blue' };
    expect(await after(change(51, acme, { metadata }, 'c1'))).toMatchObject([{ ...unchanged, metadata }]);
    const renamed = { ...unchanged, metadata, name: 'Ada' };
    expect(await after(change(51, acme, { name: 'Ada' }, 'c2'))).toMatchObject([renamed]);
    const moved = { ...renamed, email: 'ada@example.com', status: 'blocked', metadata: {} };
    const last = { email: 'ada@example.com', status: 'blocked', metadata: {} } as const;
    expect(await after(change(51, acme, last, 'c3'))).toMatchObject([moved]);
    await destroyKey(database.pool, idOf('holder', 51));
    const unreadable = { name: null, email: null, metadata: null, status: 'blocked' };
    expect(await rebuilt(await log.events())).toMatchObject([unreadable]);
    expect(await after(erase(51, acme))).toMatchObject([{ ...unreadable, status: 'inactive' }]);
  });

  it('does not restore a name after its key is destroyed, even in a rebuild', async () => {
    await after(register(11, acme));
    await after(register(12, ida));
    await destroyKey(database.pool, idOf('holder', 11));
    const unreadable = {
      id: idOf('holder', 11),
      name: null,
      email: null,
      status: 'active',
      external_id: 'customer-11',
    };
    expect(await rebuilt(await log.events())).toMatchObject([unreadable, personOf(12)]);
  });

  it('throws on a text that the key does not unseal', async () => {
    await after(register(21, acme));
    const { data } = register(22, acme);
    await log.holder({ type: 'RegisterHolder', data: { ...data, sealed: register(21, acme).data.sealed } });
    await storeKeys(database.pool);
    const events = await log.events();
    await expect(database.project(holdersProjection, events.slice(1))).rejects.toBeInstanceOf(DecryptionFailed);
  });

  it('throws on an event of an unknown row', async () => {
    await log.holder(register(31, acme));
    await log.holder(setStatus(31, acme, 'blocked'));
    const [, changed] = await log.events();
    await expect(database.project(holdersProjection, [changed!])).rejects.toThrow(/no event before it has registered/);
  });

  it('accepts a name that Postgres cannot store', async () => {
    const rows = await after(register(41, acme, {}, { name: 'a\0b\ud800c', email: 'a@b.example' }));
    expect(rows).toMatchObject([{ name: 'a\uFFFDb\uFFFDc' }]);
  });

  it('writes nothing for no events', async () => {
    expect(await rebuilt([])).toEqual([]);
  });
});

describe('For any history of holders', () => {
  async function historyOf(list: readonly HolderCommand[]): Promise<readonly RecordedEvent[]> {
    const { holder, events } = operationsLog();
    for (const command of list) await holder(command);
    return events();
  }

  it('the rows are the same in one batch, one by one, and with redelivered events', async () => {
    const property = fc.asyncProperty(holderCommands, cuts, async (list, at) => {
      const events = await historyOf(list);
      await storeKeys(database.pool);
      const atOnce = await rebuilt(events);

      expect(atOnce.map(({ id, status, name }) => [id, status, name])).toEqual(expectedOf(events));
      expect(await rebuilt(...events.map((event) => [event]))).toEqual(atOnce);
      expect(await rebuilt(...cutInto(events, at))).toEqual(atOnce);

      for (const old of cutInto(events, at)) {
        expect(await rebuilt([...events, ...old])).toEqual(atOnce);
        await database.project(holdersProjection, old);
        expect(await database.rows('holders')).toEqual(atOnce);
      }
    });
    await fc.assert(property, { numRuns: 25 });
  }, 60_000);

  it('the histories contain every event', async () => {
    const types = await eventTypesIn(holderCommands, historyOf);
    expect(types).toEqual(['HolderChanged', 'HolderErased', 'HolderRegistered', 'HolderStatusChanged']);
  });
});

/** The same from the decider's state, sorted by id. */
function expectedOf(events: readonly RecordedEvent[]) {
  const directories = new Map<string, HolderDirectory>();
  for (const { type, data, stream } of events) {
    const event = { type, data: JSON.parse(data) as unknown } as HolderEvent;
    directories.set(stream, holderAggregate.evolve(directories.get(stream) ?? holderAggregate.initialState(), event));
  }
  const holders = [...directories.values()].flatMap((directory) => [...directory.holders]);
  const expected = holders.map(([id, { status, erased, sealedName }]) => [
    id,
    status,
    erased ? null : sealedName === undefined ? personOf(Number(id.slice(-2))).name : 'Ada "Ö"',
  ]);
  return expected.sort();
}
