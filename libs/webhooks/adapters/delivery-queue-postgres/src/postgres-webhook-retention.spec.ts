import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { randomId } from '@florin/kernel';
import { eventForms, QueueFixture, type SampleEndpoint } from '@florin/webhooks-application/testing';
import { expandJson } from '@florin/webhooks-domain';
import type { Pool } from 'pg';
import { PostgresWebhookRetention } from './postgres-webhook-retention.adapter';

const before = new Date('2030-04-01T00:00:00.000Z');
const dayMs = 24 * 60 * 60 * 1000;
/** Days before the retained time. */
const old = (days: number): Date => new Date(before.getTime() - days * dayMs);
const young = new Date(before.getTime() + dayMs);

describe.each(eventForms)('PostgresWebhookRetention of %s events', (form) => {
  let database: TestDatabase;
  let pool: Pool;
  let fixture: QueueFixture;
  let endpoint: SampleEndpoint;
  let retention: PostgresWebhookRetention;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connectionAs('webhook-dispatcher'), { max: 5 });
    fixture = new QueueFixture(createPool(database.connection, { max: 2 }), form);
    retention = new PostgresWebhookRetention(pool);
    await fixture.pool.query(`INSERT INTO event_store.subscriptions (name, shard_count) VALUES ('webhooks', 1)`);
    await fixture.pool.query(
      `INSERT INTO event_store.subscription_shards (subscription, shard) VALUES ('webhooks', 0)`,
    );
  });
  beforeEach(async () => {
    await fixture.empty();
    await setPositions(1_000, 1_000);
    endpoint = await fixture.addEndpoint('https://example.com');
  });
  afterAll(async () => {
    await pool.end();
    await fixture.pool.end();
    await database.drop();
  });

  const setPositions = async (checkpoint: number, highWaterMark: number): Promise<void> => {
    await fixture.pool.query('UPDATE event_store.subscription_shards SET position = $1', [checkpoint]);
    await fixture.pool.query('UPDATE webhooks.sent_up_to SET position = $1', [highWaterMark]);
  };
  const purgeAll = async (limit = 500): Promise<number> => {
    let batches = 1;
    while (await retention.purge({ before, limit })) batches++;
    return batches;
  };
  const idsOf = async (table: 'events' | 'deliveries'): Promise<readonly string[]> => {
    if (table === 'events') return [...(await fixture.bodies()).keys()];
    const text = 'SELECT id FROM webhooks.deliveries ORDER BY created_at';
    return (await fixture.pool.query<{ id: string }>(text)).rows.map(({ id }) => id);
  };

  it('purges old events, finished deliveries and their attempts, and nothing else', async () => {
    const withoutDelivery = await fixture.addEvent(old(3));
    for (const status of ['delivered', 'failed', 'cancelled']) {
      const id = await fixture.addDelivery(await fixture.addEvent(old(2)), endpoint, status);
      const attempt = `INSERT INTO webhooks.attempts (delivery_id, number, at, duration_ms, outcome) VALUES ($1, 1, now(), 1, 'refused')`;
      await fixture.pool.query(attempt, [id]);
    }
    const foreign = await fixture.addEvent(old(1), { environment: 'live' });
    const waiting = await fixture.addEvent(old(1));
    const pending = await fixture.addDelivery(waiting, endpoint, 'pending');
    const recent = await fixture.addEvent(young);
    const delivered = await fixture.addDelivery(recent, endpoint, 'delivered');
    await purgeAll();
    expect(await idsOf('events')).toEqual([waiting, recent]);
    expect(await idsOf('events')).not.toContain(withoutDelivery);
    expect(await idsOf('events')).not.toContain(foreign);
    expect(await idsOf('deliveries')).toEqual([pending, delivered]);
    expect((await fixture.pool.query('SELECT 1 FROM webhooks.attempts')).rowCount).toBe(0);
  });

  it('keeps an old event while a younger delivery of it exists, so that the delivery stays in the list', async () => {
    const eventId = await fixture.addEvent(old(1));
    await fixture.addDelivery(eventId, endpoint, 'failed');
    const resent = await fixture.addDelivery(eventId, endpoint, 'delivered', young);
    await purgeAll();
    expect(await idsOf('events')).toEqual([eventId]);
    expect(await idsOf('deliveries')).toEqual([resent]);
  });

  it('works in batches', async () => {
    for (let event = 0; event < 25; event++) {
      await fixture.addDelivery(await fixture.addEvent(old(event + 1)), endpoint, 'delivered');
    }
    expect(await purgeAll(10)).toBe(3);
    expect(await idsOf('events')).toEqual([]);
    expect(await idsOf('deliveries')).toEqual([]);
  });

  it.each([1, 2, 500])(
    'keeps the newest object of purged events, except of finished operations (%i at a time)',
    async (limit) => {
      const objects = { card: randomId(), operation: randomId(), active: randomId() };
      const add = (objectId: string, type: string, time: Date, objectVersion: number): Promise<string> =>
        fixture.addEvent(time, { type, objectId, objectVersion });
      await add(objects.card, 'card.created', old(3), 1);
      await add(objects.card, 'card.updated', old(2), 2);
      await add(objects.operation, 'operation.queued', old(3), 1);
      await add(objects.operation, 'operation.completed', old(2), 2);
      await add(objects.active, 'card.created', old(3), 1);
      await add(objects.active, 'card.updated', young, 2);
      await purgeAll(limit);
      const text = 'SELECT object_id, version, object, compact FROM webhooks.objects';
      const { rows } = await fixture.pool.query<{ object: string | null; compact: Buffer | null }>(text);
      const stored = rows.map(({ compact, object, ...row }) => ({
        ...row,
        object: compact === null ? object : expandJson(compact, objects.card),
      }));
      const object = JSON.stringify({ id: objects.card, note: 'Käthe "✓" 2' });
      expect(stored).toEqual([{ object_id: objects.card, version: 2, object }]);
      expect(await idsOf('events')).toHaveLength(1);
    },
  );

  it.each([1, 500])(
    'keeps no object of an earlier release that has a newer event, or is final (%i at a time)',
    async (limit) => {
      const objects = { card: randomId(), operation: randomId() };
      await fixture.addEvent(old(3), { type: 'card.created', objectId: objects.card, form: 'single' });
      await fixture.addEvent(old(3), { type: 'operation.queued', objectId: objects.operation, form: 'single' });
      await fixture.addEvent(young, { type: 'card.updated', objectId: objects.card });
      await fixture.addEvent(old(2), { type: 'operation.completed', objectId: objects.operation });
      await purgeAll(limit);
      expect((await fixture.pool.query('SELECT 1 FROM webhooks.objects')).rowCount).toBe(0);
      expect(await idsOf('events')).toHaveLength(1);
    },
  );

  it('waits while the events are rebuilt', async () => {
    await fixture.addEvent(old(1));
    await setPositions(999, 1_000);
    expect(await retention.purge({ before, limit: 10 })).toBe(false);
    expect(await idsOf('events')).toHaveLength(1);
    await setPositions(1_000, 1_000);
    await purgeAll();
    expect(await idsOf('events')).toEqual([]);
  });

  it('is done by one replica at a time', async () => {
    await fixture.addEvent(old(1));
    const other = await fixture.pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_advisory_xact_lock(7017280452245743470)');
    expect(await retention.purge({ before, limit: 10 })).toBe(false);
    expect(await idsOf('events')).toHaveLength(1);
    await other.query('ROLLBACK');
    other.release();
    await purgeAll();
    expect(await idsOf('events')).toEqual([]);
  });
});
