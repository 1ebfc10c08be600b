import {
  operatorAggregate,
  type OperatorCommand,
  operatorDirectoryId,
  type OperatorRole,
} from '@florin/companies-domain';
import type { RecordedEvent } from '@florin/event-sourcing';
import { commandLog } from '@florin/event-sourcing/testing';
import { sealText } from '@florin/kernel';
import { testVaultKeys } from '@florin/kernel/testing';
import { destroyKey, keyOf, storeKeys } from '../holders/testing/holder-commands';
import { idOf } from '../testing/owners';
import {
  allRejectedAsStale,
  behind,
  readModelDatabase,
  type ReadModelDatabase,
  upToDate,
} from '../testing/read-model-database';
import { operatorsProjection as createOperatorsProjection } from './operators.projection';
import { OperatorQueries } from './operators.queries';

const operatorsProjection = createOperatorsProjection(testVaultKeys);
const [ada, grace] = [idOf('holder', 71), idOf('holder', 72)];
const actor = { kind: 'service', id: 'test' };
let database: ReadModelDatabase;
let queries: OperatorQueries;
let events: readonly RecordedEvent[];

const create = (operatorId: string, name: string, role: OperatorRole): OperatorCommand => {
  const person = { name, email: `${name}@example.com` };
  const sealed = sealText(keyOf(operatorId), operatorId, JSON.stringify(person));
  const createdAt = '2030-01-01T09:00:00.000Z';
  const token = { tokenHash: `${name}-1`, hint: 'aaaa' };
  return { type: 'CreateOperator', data: { operatorId, sealed, emailHash: name, role, createdAt, ...token } };
};
const rotate: OperatorCommand = {
  type: 'RotateOperatorToken',
  data: { operatorId: ada, tokenHash: 'Ada-2', hint: 'bbbb', rotatedAt: '2030-01-02T09:00:00.000Z' },
};

beforeAll(async () => {
  database = await readModelDatabase();
  queries = new OperatorQueries(database.reads, upToDate);
  const log = commandLog();
  const run = log.runner(operatorAggregate, () => operatorDirectoryId);
  await run(create(ada, 'Ada', 'support'));
  await run(create(grace, 'Grace', 'admin'));
  await run({ type: 'ChangeOperatorRole', data: { operatorId: ada, role: 'finance', requestId: 'r1' } });
  await run(rotate);
  await run({ type: 'DisableOperator', data: { operatorId: grace, disabledAt: '2030-01-03T09:00:00.000Z' } });
  await storeKeys(database.pool);
  events = await log.events();
});
afterAll(() => database.close());
beforeEach(() => database.empty('operators'));

const adaView = {
  operatorId: ada,
  name: 'Ada',
  email: 'Ada@example.com',
  role: 'finance',
  roleChangedAt: expect.any(String) as string,
  roleChangedBy: actor,
  hint: 'bbbb',
  createdAt: '2030-01-01T09:00:00.000Z',
  createdBy: actor,
  rotatedAt: '2030-01-02T09:00:00.000Z',
  rotatedBy: actor,
};
const graceView = {
  operatorId: grace,
  name: 'Grace',
  email: 'Grace@example.com',
  role: 'admin',
  hint: 'aaaa',
  createdAt: '2030-01-01T09:00:00.000Z',
  createdBy: actor,
  disabledAt: '2030-01-03T09:00:00.000Z',
  disabledBy: actor,
};

describe('The operators read model', () => {
  it('shows names, roles, tokens without their hashes, and who did what', async () => {
    await database.project(operatorsProjection, events);
    expect(await queries.list()).toStrictEqual([adaView, graceView]);
    expect(await queries.find(ada)).toStrictEqual(adaView);
    for (const id of ['', 'bootstrap', idOf('holder', 79)]) expect(await queries.find(id)).toBeUndefined();
  });

  it('finds an operator by the current token only', async () => {
    await database.project(operatorsProjection, events);
    const found = await queries.findByTokenHashes(['Ada-2', 'Ada-1', 'Grace-1']);
    expect([...found.keys()].sort()).toEqual(['Ada-2', 'Grace-1']);
    expect(found.get('Ada-2')).toStrictEqual(adaView);
    expect(found.get('Grace-1')).toMatchObject({ disabledAt: graceView.disabledAt });
  });

  it('identifies no operator while events of operators are set aside: one of them may be disabled', async () => {
    const { pool } = database;
    await database.project(operatorsProjection, events);
    await pool.query(`INSERT INTO event_store.subscriptions (name, shard_count) VALUES ('operators', 1)`);
    const text = `INSERT INTO event_store.set_aside_streams (subscription, stream, position, revision, type, schema_version, reason)
      VALUES ('operators', 'operators-all', 1, 0, 'New', 1, '')`;
    await pool.query(text);
    await allRejectedAsStale([queries.findByTokenHashes(['Ada-2'])]);
    await pool.query('DELETE FROM event_store.set_aside_streams');
    expect((await queries.findByTokenHashes(['Ada-2'])).size).toBe(1);
  });

  it('has the same rows for any split into batches, and for redelivered events', async () => {
    await database.project(operatorsProjection, events);
    const atOnce = await database.rows('operators');
    await database.project(operatorsProjection, events, events.slice(0, 2), ...events.map((event) => [event]));
    expect(await database.rows('operators')).toEqual(atOnce);
    await database.empty('operators');
    await database.project(operatorsProjection, ...events.map((event) => [event]));
    expect(await database.rows('operators')).toEqual(atOnce);
  });

  it('reads events without an actor', async () => {
    const early = events.map((event) => ({ ...event, metadata: event.metadata.replace(/"actor":{[^}]*},/, '') }));
    await database.project(operatorsProjection, early);
    const { createdBy: _created, rotatedBy: _rotated, roleChangedBy: _changed, ...withoutActors } = adaView;
    expect(await queries.find(ada)).toStrictEqual(withoutActors);
  });

  it('throws on an event of an unknown row', async () => {
    await expect(database.project(operatorsProjection, events.slice(2, 3))).rejects.toThrow(
      /no event before it has created/,
    );
  });

  it('rejects every query while it is behind', async () => {
    const stale = new OperatorQueries(database.reads, behind);
    await allRejectedAsStale([stale.list(), stale.find(ada), stale.findByTokenHashes(['Ada-2'])]);
  });

  it('does not restore a name after its key is destroyed', async () => {
    await destroyKey(database.pool, grace);
    await database.project(operatorsProjection, events);
    expect(await queries.find(grace)).toMatchObject({ name: '[erased]', email: '[erased]', role: 'admin' });
  });
});
