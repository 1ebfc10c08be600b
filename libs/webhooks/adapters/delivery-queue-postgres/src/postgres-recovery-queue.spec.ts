import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { manualClock } from '@florin/kernel/testing';
import { eventForms, QueueFixture, type SampleEndpoint } from '@florin/webhooks-application/testing';
import type { Pool } from 'pg';
import { PostgresRecoveryQueue } from './postgres-recovery-queue.adapter';

const clock = manualClock('2030-01-03T00:00:00.000Z');
const start = new Date('2030-01-02T00:00:00.000Z');
const at = (seconds: number): Date => new Date(start.getTime() + seconds * 1_000);

describe.each(eventForms)('PostgresRecoveryQueue of %s events', (form) => {
  let database: TestDatabase;
  let pool: Pool;
  let fixture: QueueFixture;
  let endpoint: SampleEndpoint;
  let queue: PostgresRecoveryQueue;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connectionAs('webhook-dispatcher'), { max: 10 });
    fixture = new QueueFixture(createPool(database.connection, { max: 2 }), form);
    queue = new PostgresRecoveryQueue(pool);
  });
  beforeEach(async () => {
    await fixture.empty();
    clock.set('2030-01-03T00:00:00.000Z');
    endpoint = await fixture.addEndpoint('https://example.com');
  });
  afterAll(async () => {
    await pool.end();
    await fixture.pool.end();
    await database.drop();
  });

  const request = async (of: SampleEndpoint, since: Date, until = 1_000_000): Promise<void> => {
    await fixture.pool.query(
      `INSERT INTO webhooks.recoveries (endpoint_id, after_time, until_position, next_step_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (endpoint_id) DO NOTHING`,
      [of.id, since, until, clock.now()],
    );
  };
  /** With a rate that does not delay the next step, unless it is given. */
  const step = (pageSize = 100, maxPending = 1_000, perSecond = 1_000_000): Promise<boolean> =>
    queue.step({ now: clock.now(), pageSize, maxPending, perSecond });
  const recoverAll = async (): Promise<void> => {
    while (await step());
  };

  type Row = {
    readonly endpointId: string;
    readonly status: string;
    readonly resent: boolean;
    readonly attempts: number;
  };
  const deliveriesOf = async (eventId: string): Promise<readonly Row[]> => {
    const text = `
      SELECT endpoint_id AS "endpointId", status, resent, attempts FROM webhooks.deliveries
      WHERE event_id = $1 ORDER BY resent, created_at`;
    return (await fixture.pool.query<Row>(text, [eventId])).rows;
  };
  const statusesOf = async (eventId: string, of = endpoint): Promise<readonly string[]> =>
    (await deliveriesOf(eventId)).filter(({ endpointId }) => endpointId === of.id).map(({ status }) => status);
  const count = async (table: string): Promise<number> =>
    (await fixture.pool.query<{ count: number }>(`SELECT count(*)::integer AS count FROM webhooks.${table}`)).rows[0]!
      .count;

  it('queues all subscribed events since a time that were not acknowledged', async () => {
    const other = await fixture.addEndpoint('https://example.com/other');
    await fixture.pool.query(`UPDATE webhooks.endpoints SET events = '{card.created}' WHERE id = $1`, [endpoint.id]);
    const add = (seconds: number, type = 'card.created') => fixture.addEvent(at(seconds), { type });
    const send = (eventId: string, status: string, to = endpoint) => fixture.addDelivery(eventId, to, status);
    const before = await add(0);
    await send(before, 'failed');
    const acknowledged = await add(1);
    await send(acknowledged, 'delivered');
    const failed = await add(2);
    await send(failed, 'failed');
    const pending = await add(3);
    await send(pending, 'pending');
    const elsewhere = await add(4);
    await send(elsewhere, 'cancelled');
    await send(elsewhere, 'delivered', other);
    const resentLater = await add(5);
    await send(resentLater, 'failed');
    await fixture.addDelivery(resentLater, endpoint, 'delivered', at(3_600));
    const unsubscribed = await add(6, 'holder.created');
    const tested = await add(7, 'webhook_endpoint.test');
    const foreign = await fixture.addEvent(at(8), { type: 'card.created', environment: 'live' });
    const missed = await add(9);
    const later = await fixture.addEvent(at(10), { type: 'card.created', position: 2_000_000 });
    await request(endpoint, at(1));
    await recoverAll();
    expect(await statusesOf(before)).toEqual(['failed']);
    expect(await statusesOf(acknowledged)).toEqual(['delivered']);
    expect(await statusesOf(failed)).toEqual(['failed', 'pending']);
    expect(await statusesOf(pending)).toEqual(['pending']);
    expect(await statusesOf(elsewhere)).toEqual(['cancelled', 'pending']);
    expect(await statusesOf(resentLater)).toEqual(['failed', 'delivered']);
    expect(await statusesOf(missed)).toEqual(['pending']);
    for (const id of [unsubscribed, tested, foreign, later]) expect(await deliveriesOf(id)).toEqual([]);
    expect(await count('recoveries')).toBe(0);
    const due = await fixture.pool.query('SELECT event_id FROM webhooks.due WHERE recovered ORDER BY event_id');
    expect(due.rows).toEqual([failed, elsewhere, missed].sort().map((event_id) => ({ event_id })));
  });

  it('checks one page per step, of one endpoint after another', async () => {
    const other = await fixture.addEndpoint('https://example.com/other');
    for (let event = 0; event < 25; event++) await fixture.addEvent(at(event));
    await request(endpoint, at(0));
    await request(other, at(0));
    const pendingOf = async (of: SampleEndpoint): Promise<number> => {
      const text = 'SELECT count(*)::integer AS count FROM webhooks.due WHERE endpoint_id = $1';
      return (await fixture.pool.query<{ count: number }>(text, [of.id])).rows[0]!.count;
    };
    const progress: (readonly number[])[] = [];
    for (let steps = 0; steps < 6; steps++) {
      clock.advance(1);
      expect(await step(10)).toBe(true);
      const [first, second] = [await pendingOf(endpoint), await pendingOf(other)];
      progress.push([Math.max(first, second), Math.min(first, second)]);
    }
    expect(progress).toEqual([
      [10, 0],
      [10, 10],
      [20, 10],
      [20, 20],
      [25, 20],
      [25, 25],
    ]);
    expect(await step(10)).toBe(false);
  });

  it('waits while the endpoint has the maximum of pending recovered deliveries', async () => {
    for (let event = 0; event < 30; event++) await fixture.addEvent(at(event));
    // Other pending deliveries do not count.
    await fixture.addDeliveries([endpoint], 50, at(100));
    await request(endpoint, at(0));
    const recovered = async (): Promise<number> =>
      (await fixture.pool.query('SELECT 1 FROM webhooks.due WHERE recovered')).rowCount!;
    for (let steps = 0; steps < 10; steps++) {
      await step(10, 20);
      clock.advance(1_000);
    }
    expect(await recovered()).toBe(20);
    expect(await count('recoveries')).toBe(1);
    await fixture.pool.query('DELETE FROM webhooks.due WHERE recovered');
    for (let steps = 0; steps < 10; steps++) {
      await step(10, 20);
      clock.advance(1_000);
    }
    expect(await recovered()).toBe(10);
    expect(await count('recoveries')).toBe(0);
  });

  it('waits until its rate allows more deliveries', async () => {
    for (let event = 0; event < 30; event++) await fixture.addEvent(at(event));
    const recover = () => step(10, 1_000, 5);
    await request(endpoint, at(0));
    expect(await recover()).toBe(true);
    for (const pending of [20, 30]) {
      clock.advance(1_999);
      expect(await recover()).toBe(false);
      clock.advance(1);
      expect(await recover()).toBe(true);
      expect(await count('due')).toBe(pending);
    }
  });

  it('continues immediately if it has added nothing', async () => {
    for (let event = 0; event < 30; event++)
      await fixture.addDelivery(await fixture.addEvent(at(event)), endpoint, 'delivered');
    await request(endpoint, at(0));
    for (let steps = 0; steps < 4; steps++) expect(await step(10, 1_000, 5)).toBe(true);
    expect(await count('recoveries')).toBe(0);
  });

  it('continues after a crash without a gap or a second delivery', async () => {
    const events: string[] = [];
    for (let event = 0; event < 30; event++) events.push(await fixture.addEvent(at(event)));
    await request(endpoint, at(0));
    await step(10);
    const commits = await suspendCommits();
    const interrupted = expect(step(10)).rejects.toThrow('terminating connection');
    await commits.killSuspended();
    await interrupted;
    await commits.resume();
    expect(await count('deliveries')).toBe(10);
    expect(await count('due')).toBe(10);
    await recoverAll();
    for (const eventId of events) expect(await statusesOf(eventId)).toEqual(['pending']);
    expect(await count('due')).toBe(30);
    expect(await count('recoveries')).toBe(0);
  });

  /** Suspends transactions that have inserted deliveries when they commit, as their last statement. */
  const suspendCommits = async () => {
    const lock = 19;
    const holder = await fixture.pool.connect();
    await holder.query('SELECT pg_advisory_lock($1)', [lock]);
    await holder.query(`
      CREATE FUNCTION webhooks.suspend() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(${lock});
        RETURN NULL;
      END $$`);
    await holder.query(`
      CREATE CONSTRAINT TRIGGER suspended AFTER INSERT ON webhooks.deliveries DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION webhooks.suspend()`);
    const kill = `
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query = 'COMMIT' AND wait_event_type = 'Lock' AND wait_event = 'advisory'`;
    return {
      killSuspended: async (): Promise<void> => {
        while ((await holder.query(kill)).rowCount === 0) await sleep(5);
      },
      resume: async (): Promise<void> => {
        await holder.query('DROP FUNCTION webhooks.suspend CASCADE');
        await holder.query('SELECT pg_advisory_unlock($1)', [lock]);
        holder.release();
      },
    };
  };

  it('lets several replicas work at different endpoints and never at the same one', async () => {
    const endpoints = [endpoint];
    for (let number = 0; number < 4; number++) endpoints.push(await fixture.addEndpoint('https://example.com'));
    for (let event = 0; event < 40; event++) await fixture.addEvent(at(event));
    for (const each of endpoints) await request(each, at(0));
    const replica = async (): Promise<void> => {
      const recoveries = new PostgresRecoveryQueue(pool);
      while ((await count('recoveries')) > 0)
        await recoveries.step({ now: clock.now(), pageSize: 7, maxPending: 100, perSecond: 1_000_000 });
    };
    await Promise.all([replica(), replica(), replica()]);
    expect(await count('deliveries')).toBe(200);
    expect(await count('due')).toBe(200);
  });

  it('starts again at its end when earlier events were requested meanwhile', async () => {
    const early = await fixture.addEvent(at(0));
    for (let event = 10; event < 30; event++) await fixture.addEvent(at(event));
    await request(endpoint, at(5));
    await step(10);
    await fixture.pool.query('UPDATE webhooks.recoveries SET again_since = $1', [at(0)]);
    await recoverAll();
    expect(await statusesOf(early)).toEqual(['pending']);
    expect(await count('deliveries')).toBe(21);
  });

  it('does not grow the data when a recovery, a disable and an enable are repeated', async () => {
    const events: string[] = [];
    for (let event = 0; event < 20; event++) {
      events.push(await fixture.addEvent(at(event)));
      if (event % 2 === 0) await fixture.addDelivery(events[event]!, endpoint, 'failed');
    }
    for (let round = 0; round < 10; round++) {
      clock.advance(60_000);
      await request(endpoint, at(0));
      await recoverAll();
      expect(await count('due')).toBe(20);
      await fixture.change(endpoint, { status: 'disabled' });
      expect(await count('due')).toBe(0);
      await fixture.change(endpoint, { status: 'enabled' });
    }
    // One delivery with the event and one by all recoveries.
    expect(await count('deliveries')).toBe(30);
  });

  it('queues a failed recovered delivery like a new one', async () => {
    const eventId = await fixture.addEvent(at(0));
    await request(endpoint, at(0));
    await recoverAll();
    await fixture.pool.query(`
      WITH failed AS (
        UPDATE webhooks.deliveries SET status = 'failed', attempts = 2, last_attempt_at = now(), last_error = 'no' RETURNING id
      ), gone AS (DELETE FROM webhooks.due)
      INSERT INTO webhooks.attempts (delivery_id, number, at, duration_ms, outcome)
      SELECT id, number, now(), 1, 'refused' FROM failed, generate_series(1, 2) AS number`);
    clock.advance(60_000);
    await request(endpoint, at(0));
    await recoverAll();
    const { rows } = await fixture.pool.query('SELECT * FROM webhooks.deliveries WHERE event_id = $1', [eventId]);
    const fresh = { status: 'pending', attempts: 0, last_attempt_at: null, last_error: null };
    expect(rows).toMatchObject([{ ...fresh, created_at: clock.now(), next_attempt_at: clock.now() }]);
    expect(await count('attempts')).toBe(0);
    expect(await count('due')).toBe(1);
  });
});
