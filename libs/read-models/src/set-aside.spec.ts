import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { type EventStore, Progress, type Projection, type RecordedEvent, runProjection } from '@florin/event-sourcing';
import { InMemoryEventStore, type Newer, silentLog, withNewerEvents } from '@florin/event-sourcing/testing';
import { KeyRing } from '@florin/kernel';
import { testVaultKeys, until } from '@florin/kernel/testing';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Pool, PoolClient } from 'pg';
import { allProjections } from './all-projections';
import * as card from './cards/testing/card-commands';
import { register as registerHolder, setStatus } from './holders/testing/holder-commands';
import * as operation from './operations/testing/operation-commands';
import { acme, ida, idOf } from './testing/owners';
import * as endpoint from './webhooks/testing/endpoint-commands';
import { webhooksLog } from './webhooks/testing/webhooks-log';
import { webhooksProjection } from './webhooks/webhooks.projection';

jest.setTimeout(60_000);

let database: TestDatabase;
let pool: Pool;
let readModelTables: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  const text = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'read_models'`;
  readModelTables = (await pool.query<{ name: string }>(text)).rows.map(({ name }) => name);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const webhookTables = ['webhooks.events', 'webhooks.compact_events', 'webhooks.endpoints'];
const deliveryTables = ['webhooks.deliveries', 'webhooks.due'];

async function reset(): Promise<void> {
  const subscriptions = ['set_aside_streams', 'subscription_shards', 'subscriptions'].map(
    (name) => `event_store.${name}`,
  );
  await pool.query(
    `TRUNCATE ${[...readModelTables, ...webhookTables, ...deliveryTables, ...subscriptions].join(', ')}`,
  );
  await pool.query('UPDATE webhooks.sent_up_to SET position = 0');
}

async function rowsOf(tables: readonly string[]): Promise<Record<string, unknown>> {
  const rows = tables.map(async (table) => {
    const text = `SELECT coalesce(json_agg(rows ORDER BY rows::text), '[]') AS all FROM ${table} AS rows`;
    return [table, (await pool.query<{ all: unknown }>(text)).rows[0]!.all] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

async function logOf(events: readonly RecordedEvent[]): Promise<InMemoryEventStore> {
  const store = new InMemoryEventStore();
  for (const { stream, revision, ...event } of events) await store.append(stream, revision - 1, [event]);
  return store;
}

type Projections = readonly Projection<PoolClient>[];

const setAsideStreams = async (): Promise<readonly { subscription: string; stream: string }[]> =>
  (await pool.query('SELECT subscription, stream FROM event_store.set_aside_streams')).rows as never;

/** Runs a release until it has processed the log. */
async function runRelease(
  projections: Projections,
  store: EventStore,
  shards: number,
  catchesUp: boolean,
): Promise<void> {
  const checkpoints = new PostgresCheckpointStore(database.connection, { connections: 8 });
  const progress = new Progress();
  const runtime = {
    store,
    checkpoints,
    progress,
    log: silentLog,
    isTransient: () => false,
    pageSize: 20,
    balanceEveryMs: 20,
  };
  const running = projections.map((projection) => runProjection(projection, runtime, shards));
  const head = await store.head();
  try {
    await until(async () => {
      for (const subscription of running) expect(subscription.status().state).not.toBe('stopped');
      if (!running.every(({ name }) => progress.hasReached(name, head))) return false;
      return !catchesUp || (await setAsideStreams()).length === 0;
    });
  } finally {
    await Promise.all(running.map((subscription) => subscription.stop()));
    await checkpoints.close();
  }
}

interface Sample {
  readonly projections: Projections;
  readonly events: readonly RecordedEvent[];
  readonly tables: readonly string[];
  readonly expected: Record<string, unknown>;
}

async function sampleOf(projections: Projections, events: readonly RecordedEvent[], tables: readonly string[]) {
  await reset();
  await runRelease(projections, await logOf(events), 1, true);
  return { projections, events, tables, expected: await rowsOf(tables) };
}

/** An old release projects the first part of the log, and then a new one the rest and what the old one has set aside. */
async function upgrade(
  sample: Sample,
  newer: ReadonlyMap<string, Newer>,
  length: number,
  shards: number,
): Promise<void> {
  await reset();
  const { projections, events } = sample;
  const old = withNewerEvents(await logOf(events.slice(0, length)), ({ id }) => newer.get(id));
  await runRelease(projections, old, shards, false);
  await runRelease(projections, await logOf(events), shards, true);
  expect(await rowsOf(sample.tables)).toEqual(sample.expected);
}

function upgradesOf(sample: Sample, numRuns: number): Promise<void> {
  const index = fc.nat(sample.events.length - 1);
  const newer = fc.array(fc.tuple(index, fc.constantFrom<Newer>('type', 'version')), { minLength: 1, maxLength: 8 });
  const property = fc.asyncProperty(newer, index, fc.integer({ min: 1, max: 3 }), async (chosen, length, shards) => {
    const byId = new Map(chosen.map(([at, how]) => [sample.events[at]!.id, how]));
    await upgrade(sample, byId, length + 1, shards);
  });
  return fc.assert(property, { numRuns });
}

describe('Streams that an older release has set aside', () => {
  function recordedLog(): readonly RecordedEvent[] {
    const file = resolve(__dirname, '../../../tools/recorded-logs/unreleased.jsonl');
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as RecordedEvent);
  }

  it('lead to the rows of a release that has read everything, in all read models', async () => {
    const tables = [...readModelTables, ...webhookTables];
    const sample = await sampleOf(allProjections(new KeyRing([])), recordedLog(), tables);
    await upgradesOf(sample, 4);
  });

  it('lead to the same webhook events and deliveries, each once', async () => {
    const log = webhooksLog();
    const id = idOf('operation', 1);
    const steps = [
      () => log.endpoint(endpoint.register(1, acme)),
      () => log.endpoint(endpoint.register(3, ida)),
      () => log.endpoint(endpoint.register(2, acme, ['card.updated', 'operation.completed'])),
      () => log.card(card.issue(1, acme)),
      () => log.holder(registerHolder(1, acme)),
      () => log.card(card.issue(2, ida)),
      () => log.card(card.report(1, acme, 1, { status: 'pending' })),
      () => log.operation(operation.queue(operation.orderOf(id, acme))),
      () => log.card(card.report(1, acme, 1)),
      () => log.holder(setStatus(1, acme, 'blocked')),
      () => log.card(card.changeStatus('FreezeCard', 1, acme)),
      () => log.operation(operation.start(id)),
      () => log.card(card.changeStatus('FreezeCard', 2, ida)),
      () => log.card(card.changeStatus('UnfreezeCard', 1, acme)),
      () => log.operation(operation.abandon(id)),
      () => log.operation(operation.resolve(id, 'failed')),
      () => log.operation(operation.fail(id)),
    ];
    for (const step of steps) expect(await step()).toMatchObject({ ok: true });
    const tables = [...webhookTables, ...deliveryTables, 'webhooks.sent_up_to'];
    const sample = await sampleOf([webhooksProjection(testVaultKeys)], await log.events(), tables);
    expect(sample.expected['webhooks.deliveries']).not.toEqual([]);
    await upgradesOf(sample, 12);
  });
});

describe('Every projection', () => {
  it.each(allProjections(new KeyRing([])).map((projection) => [projection.name, projection] as const))(
    '%s knows which types it ignores',
    (_, { eventTypes, knownEventTypes }) => {
      // Otherwise the type of a newer release is skipped, and the newer release never projects it.
      expect(eventTypes === undefined).toBe(knownEventTypes === undefined);
      expect(knownEventTypes ?? []).toEqual(expect.arrayContaining([...(eventTypes ?? [])]));
    },
  );
});
