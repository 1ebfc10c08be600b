import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { DecryptionFailed, randomId, UnknownVaultKey } from '@florin/kernel';
import { manualClock, testVaultKeys } from '@florin/kernel/testing';
import type { ClaimedDelivery, SendResult, AttemptRecord } from '@florin/webhooks-application';
import { eventForms, QueueFixture, type SampleEndpoint } from '@florin/webhooks-application/testing';
import type { Pool } from 'pg';
import { PostgresDeliveryQueue } from './postgres-delivery-queue.adapter';
import { PostgresSecretVault } from './postgres-secret-vault.adapter';

const secretReading = { keys: testVaultKeys, onUnreadable: () => undefined };

const clock = manualClock('2030-01-01T00:00:00.000Z');
const leaseMs = 60_000;
const acknowledged: SendResult = { outcome: 'acknowledged', statusCode: 200, durationMs: 3, excerpt: 'fine' };
const refused: SendResult = { outcome: 'refused', statusCode: 500, durationMs: 4, error: 'the response was HTTP 500' };

describe.each(eventForms)('PostgresDeliveryQueue of %s events', (form) => {
  let database: TestDatabase;
  let pool: Pool;
  let fixture: QueueFixture;
  let queue: PostgresDeliveryQueue;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection, { max: 10 });
    fixture = new QueueFixture(pool, form);
  });
  beforeEach(async () => {
    await fixture.empty();
    clock.set('2030-01-01T00:00:00.000Z');
    queue = newQueue();
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const newQueue = (): PostgresDeliveryQueue =>
    new PostgresDeliveryQueue(pool, { ...database.connection }, secretReading);
  const later = (milliseconds: number): Date => new Date(clock.now().getTime() + milliseconds);
  const claim = (limit = 100, capacityOf: (id: string) => number = () => 100, by = queue) =>
    by.claim({ now: clock.now(), until: later(leaseMs), limit, capacityOf });
  const attempted = (
    delivery: ClaimedDelivery,
    result: SendResult,
    status: AttemptRecord['status'] = result === acknowledged ? 'delivered' : 'pending',
  ): AttemptRecord => ({
    ...{ delivery, result, status, at: clock.now() },
    ...(status === 'pending' && { nextAttemptAt: later(5_000) }),
  });
  const endpointsOf = (count: number): Promise<SampleEndpoint[]> =>
    Promise.all(Array.from({ length: count }, () => fixture.addEndpoint('http://localhost/ok')));

  it('returns a due delivery once with all data to send it', async () => {
    const endpoint = await fixture.addEndpoint('http://localhost/ok');
    const [id] = await fixture.addDeliveries([endpoint], 1, clock.now());
    const [claimed, ...others] = await claim();
    expect(others).toEqual([]);
    expect(claimed).toMatchObject({
      ...{ id, endpointId: endpoint.id, accountId: endpoint.accountId, environment: 'sandbox', attempts: 0 },
      ...{ url: 'http://localhost/ok', secrets: [endpoint.secret], claimedUntil: later(leaseMs) },
    });
    expect(JSON.parse(claimed!.body)).toMatchObject({ id: claimed!.eventId });
    expect(await claim()).toEqual([]);
  });

  it('returns no delivery before it is due and reports the next due time', async () => {
    const [endpoint] = await endpointsOf(1);
    expect(await queue.nextDueAt(clock.now())).toBeUndefined();
    await fixture.addDeliveries([endpoint!], 1, later(10_000));
    expect(await claim()).toEqual([]);
    expect(await queue.nextDueAt(clock.now())).toEqual(later(10_000));
    clock.advance(10_000);
    expect(await claim()).toHaveLength(1);
    expect(await queue.nextDueAt(clock.now())).toBeUndefined();
  });

  it('claims up to the capacity of each endpoint, the longest-waiting first', async () => {
    const endpoints = await endpointsOf(3);
    const newer = await fixture.addDeliveries(endpoints, 5, clock.now());
    const older = await fixture.addDeliveries([endpoints[0]!], 2, later(-1_000));
    const rooms = new Map([
      [endpoints[0]!.id, 3],
      [endpoints[1]!.id, 0],
      [endpoints[2]!.id, 9],
    ]);
    const claimed = await claim(100, (id) => rooms.get(id)!);
    const idsOf = (endpoint: SampleEndpoint): string[] =>
      claimed.filter(({ endpointId }) => endpointId === endpoint.id).map(({ id }) => id);
    expect(idsOf(endpoints[0]!)).toHaveLength(3);
    expect(idsOf(endpoints[0]!)).toEqual(expect.arrayContaining(older));
    expect(idsOf(endpoints[1]!)).toEqual([]);
    expect(idsOf(endpoints[2]!).sort()).toEqual(newer.slice(10).sort());
  });

  it('serves all endpoints when one claim cannot return all deliveries', async () => {
    const endpoints = await endpointsOf(6);
    await fixture.addDeliveries(endpoints, 10, clock.now());
    const claims: string[][] = [];
    for (let served = 0; served < 60; served += claims.at(-1)!.length) {
      claims.push((await claim(20, () => 10)).map(({ endpointId }) => endpointId));
      expect(claims.at(-1)).not.toEqual([]);
    }
    expect(claims[0]).toEqual(endpoints.flatMap(({ id }) => [id, id, id]).sort());
    expect(await claim()).toEqual([]);
  });

  it('starts again after the last endpoint', async () => {
    const endpoints = await endpointsOf(3);
    await fixture.addDeliveries(endpoints, 2, clock.now());
    const counts = [];
    for (let lastTask = 0; lastTask < 7; lastTask++) counts.push((await claim(1, () => 1)).length);
    expect(counts).toEqual([1, 1, 1, 1, 1, 1, 0]);
  });

  it('gives each delivery to one of many concurrent claims', async () => {
    const endpoints = await endpointsOf(5);
    const ids = await fixture.addDeliveries(endpoints, 40, clock.now());
    const replicas = Array.from({ length: 8 }, newQueue);
    const claims = await Promise.all(replicas.flatMap((by) => [claim(40, () => 8, by), claim(40, () => 8, by)]));
    // The replica with the claim gets the rest of the endpoint.
    const rest = await Promise.all(replicas.map((by) => claim(200, () => 40, by)));
    const claimed = [...claims.flat(), ...rest.flat()].map(({ id }) => id);
    expect(claimed.sort()).toEqual(ids.sort());
  });

  it('stores attempts of all outcomes together', async () => {
    const [endpoint] = await endpointsOf(1);
    const ids = await fixture.addDeliveries([endpoint!], 300, clock.now());
    const claimed = await claim(300, () => 300);
    const statuses = ['delivered', 'pending', 'failed'] as const;
    const batch = claimed.map((delivery, index) => {
      const status = statuses[index % 3]!;
      return attempted(delivery, status === 'delivered' ? acknowledged : refused, status);
    });
    await queue.recordAttempts(batch);
    const stored = new Map((await fixture.deliveries(ids)).map((row) => [row.id, row]));
    for (const { delivery, status, result } of batch) {
      expect(stored.get(delivery.id)).toMatchObject({
        ...{ status, attempts: 1, lastStatusCode: result.statusCode, lastError: result.error ?? null },
        ...(status === 'pending' && { nextAttemptAt: later(5_000) }),
      });
    }
    expect(await fixture.attempts(claimed[0]!.id)).toEqual([]);
    expect(await fixture.attempts(claimed[1]!.id)).toMatchObject([
      { number: 1, at: clock.now(), outcome: refused.outcome },
    ]);
  });

  it('keeps a delivery cancelled during an attempt, unless it was acknowledged', async () => {
    const [endpoint] = await endpointsOf(1);
    const ids = await fixture.addDeliveries([endpoint!], 2, clock.now());
    const claimed = await claim();
    await pool.query(`UPDATE webhooks.deliveries SET status = 'cancelled'`);
    await pool.query('DELETE FROM webhooks.due');
    await queue.recordAttempts([attempted(claimed[0]!, refused), attempted(claimed[1]!, acknowledged)]);
    const stored = new Map((await fixture.deliveries(ids)).map((row) => [row.id, row]));
    expect(stored.get(claimed[0]!.id)).toMatchObject({ status: 'cancelled', attempts: 1 });
    expect(stored.get(claimed[1]!.id)).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  it('records since when an endpoint has been failing', async () => {
    const [endpoint] = await endpointsOf(1);
    const attempt = async (...results: SendResult[]) => {
      await fixture.addDeliveries([endpoint!], results.length, clock.now());
      const claimed = await claim();
      const statusOf = (result: SendResult) => (result === acknowledged ? 'delivered' : 'failed');
      return queue.recordAttempts(
        claimed.map((delivery, nth) => attempted(delivery, results[nth]!, statusOf(results[nth]!))),
      );
    };
    const began = clock.now();
    expect(await attempt(refused, refused)).toEqual([]);
    clock.advance(1_000);
    expect(await attempt(refused)).toEqual([{ endpointId: endpoint!.id, since: began }]);
    clock.advance(1_000);
    expect(await attempt(refused, acknowledged)).toEqual([]);
    const { rows } = await pool.query('SELECT failing_since, last_success_at FROM webhooks.endpoint_health');
    expect(rows).toEqual([{ failing_since: null, last_success_at: clock.now() }]);
    clock.advance(1_000);
    const again = clock.now();
    expect(await attempt(refused)).toEqual([]);
    expect(await attempt(refused)).toEqual([{ endpointId: endpoint!.id, since: again }]);
  });

  it('returns no delivery of an endpoint that is deleted, disabled or without secrets', async () => {
    const endpoints = await endpointsOf(4);
    const [deleted, disabled, forgotten, fine] = endpoints;
    await fixture.addDeliveries(endpoints, 1, clock.now());
    await pool.query(`UPDATE webhooks.endpoints SET status = 'disabled' WHERE id = $1`, [disabled!.id]);
    await pool.query('UPDATE webhooks.endpoints SET deleted = true WHERE id = $1', [deleted!.id]);
    await pool.query('DELETE FROM vault.webhook_secrets WHERE endpoint_id = $1', [forgotten!.id]);
    const ids = endpoints.map(({ id }) => id);
    expect([...(await queue.targets(ids, clock.now())).keys()]).toEqual([fine!.id]);
    expect((await claim()).map(({ endpointId }) => endpointId)).toEqual([fine!.id]);
  });

  it('signs with the two newest secrets, even if an earlier release listed more', async () => {
    const [rotated] = await endpointsOf(1);
    const vault = new PostgresSecretVault(pool, testVaultKeys);
    const ids = Array.from({ length: 30 }, () => randomId());
    const secrets = await Promise.all(ids.map((id) => vault.create(rotated!.id, id)));
    const listed = ids.map((id, nth) => ({ id, until: nth === 0 ? null : later((31 - nth) * 1_000) }));
    await pool.query('UPDATE webhooks.endpoints SET secrets = $2 WHERE id = $1', [rotated!.id, JSON.stringify(listed)]);
    const targets = await queue.targets([rotated!.id], clock.now());
    expect(targets.get(rotated!.id)!.secrets).toEqual(secrets.slice(0, 2));
  });

  it('opens wrapped secrets, and skips only the endpoint whose secret cannot be opened', async () => {
    const [fine, moved, unknown] = await endpointsOf(3);
    const vault = new PostgresSecretVault(pool, testVaultKeys);
    expect(await vault.rewrap(undefined, 1_000)).toMatchObject({ failed: [] });
    await pool.query(
      `UPDATE vault.webhook_secrets SET wrapped = (SELECT wrapped FROM vault.webhook_secrets WHERE endpoint_id = $1)
       WHERE endpoint_id = $2`,
      [fine!.id, moved!.id],
    );
    await pool.query(`UPDATE vault.webhook_secrets SET wrapped_by = 'x' WHERE endpoint_id = $1`, [unknown!.id]);
    const unreadable: unknown[] = [];
    const onUnreadable = (endpointId: string, error: unknown): number => unreadable.push([endpointId, error]);
    const reader = new PostgresDeliveryQueue(pool, { ...database.connection }, { keys: testVaultKeys, onUnreadable });
    const targets = await reader.targets([fine!.id, moved!.id, unknown!.id], clock.now());
    expect([...targets]).toMatchObject([[fine!.id, { secrets: [fine!.secret] }]]);
    expect(unreadable).toHaveLength(2);
    expect(unreadable).toEqual(
      expect.arrayContaining([
        [moved!.id, expect.any(DecryptionFailed)],
        [unknown!.id, expect.any(UnknownVaultKey)],
      ]),
    );
  });

  it('is notified of added deliveries, also after a lost connection', async () => {
    const [endpoint] = await endpointsOf(1);
    let onDeliveriesAdded = (): void => undefined;
    let calls = 0;
    const stop = queue.listen(() => {
      calls += 1;
      onDeliveriesAdded();
    });
    const notifiedAfter = async (cause: () => Promise<unknown>): Promise<void> => {
      const notified = new Promise<void>((resolve) => (onDeliveriesAdded = resolve));
      await cause();
      await notified;
    };
    // The listener calls back once when it is connected.
    if (calls === 0) await notifiedAfter(async () => undefined);
    await notifiedAfter(() => fixture.addDeliveries([endpoint!], 1, clock.now()));
    await notifiedAfter(() =>
      pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'florin webhook listener'`,
      ),
    );
    await notifiedAfter(() => fixture.addDeliveries([endpoint!], 1, clock.now()));
    await stop();
  });

  it('returns no delivery of an unknown endpoint', async () => {
    await fixture.addDeliveries([{ id: randomId(), accountId: 'a', secret: 's' }], 1, clock.now());
    expect(await claim()).toEqual([]);
  });
});
