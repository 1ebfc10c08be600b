import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { manualClock, testVaultKeys } from '@florin/kernel/testing';
import type { ClaimedDelivery, SendResult, AttemptRecord } from '@florin/webhooks-application';
import { QueueFixture, type SampleEndpoint } from '@florin/webhooks-application/testing';
import * as fc from 'fast-check';
import type { Pool } from 'pg';
import { PostgresDeliveryQueue } from './postgres-delivery-queue.adapter';

const secretReading = { keys: testVaultKeys, onUnreadable: () => undefined };

const clock = manualClock('2030-01-01T00:00:00.000Z');
const leaseMs = 60_000;
const acknowledged: SendResult = { outcome: 'acknowledged', statusCode: 200, durationMs: 3 };
const refused: SendResult = { outcome: 'refused', statusCode: 500, durationMs: 4, error: 'the response was HTTP 500' };

describe('endpoint claims of replicas', () => {
  let database: TestDatabase;
  let pool: Pool;
  let fixture: QueueFixture;
  let endpoint: SampleEndpoint;
  let one: PostgresDeliveryQueue;
  let two: PostgresDeliveryQueue;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.connection, { max: 10 });
    fixture = new QueueFixture(pool);
  });
  beforeEach(async () => {
    await fixture.empty();
    clock.set('2030-01-01T00:00:00.000Z');
    endpoint = await fixture.addEndpoint('http://localhost/ok');
    [one, two] = [newReplica(), newReplica()];
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const newReplica = (): PostgresDeliveryQueue =>
    new PostgresDeliveryQueue(pool, { ...database.connection }, secretReading);
  const later = (milliseconds: number): Date => new Date(clock.now().getTime() + milliseconds);
  const claim = (by: PostgresDeliveryQueue, capacity = 100): Promise<readonly ClaimedDelivery[]> =>
    by.claim({ now: clock.now(), until: later(leaseMs), limit: 20_000, capacityOf: () => capacity });
  const add = (count: number, dueAt = clock.now()): Promise<string[]> =>
    fixture.addDeliveries([endpoint], count, dueAt);
  const attempted = (delivery: ClaimedDelivery, result: SendResult): AttemptRecord => ({
    ...{ delivery, result, at: clock.now() },
    ...(result === acknowledged ? { status: 'delivered' } : { status: 'pending', nextAttemptAt: later(5_000) }),
  });
  const acknowledge = (by: PostgresDeliveryQueue, deliveries: readonly ClaimedDelivery[]) =>
    by.recordAttempts(deliveries.map((delivery) => attempted(delivery, acknowledged)));
  const idsOf = (deliveries: readonly { id: string }[]): string[] => deliveries.map(({ id }) => id).sort();
  const claims = async () =>
    (await pool.query('SELECT claimed_by, claimed_until FROM webhooks.endpoint_claims')).rows as unknown[];
  const countDue = async () =>
    (await pool.query<{ count: number }>('SELECT count(*)::integer AS count FROM webhooks.due')).rows[0]!.count;

  /** Resolves once another replica is notified of what `cause` did. */
  async function heardOf(cause: () => Promise<unknown>): Promise<void> {
    let onDeliveriesAdded = (): void => undefined;
    const nextNews = (): Promise<void> => new Promise((resolve) => (onDeliveriesAdded = resolve));
    // The listener calls back once when it is connected.
    const listening = nextNews();
    const stop = two.listen(() => onDeliveriesAdded());
    await listening;
    const news = nextNews();
    await cause();
    await news;
    await stop();
  }

  it('reserve an endpoint for one replica until the attempts of all its deliveries are recorded', async () => {
    await add(4);
    const first = await claim(one, 2);
    expect(first).toHaveLength(2);
    expect(await claim(two)).toEqual([]);
    await acknowledge(one, first.slice(0, 1));
    expect(await claim(two)).toEqual([]);
    await acknowledge(one, first.slice(1));
    expect(await claims()).toEqual([{ claimed_by: null, claimed_until: null }]);
    expect(await claim(two)).toHaveLength(2);
    expect(await claim(one)).toEqual([]);
  });

  it('let the claiming replica take more deliveries, each of them once', async () => {
    const ids = await add(7);
    const taken: ClaimedDelivery[] = [];
    for (let count = 0; count < 4; count++) taken.push(...(await claim(one, 2)));
    expect(idsOf(taken)).toEqual(ids.sort());
    const [added] = await add(1, later(-1));
    // Deliveries added before the position are seen once none is in flight.
    expect(await claim(one)).toEqual([]);
    await heardOf(() => acknowledge(one, taken));
    expect(idsOf(await claim(one))).toEqual([added]);
  });

  it('return a failed delivery when it is due again while others are in flight', async () => {
    await add(2);
    const [failed, pending] = await claim(one);
    await one.recordAttempts([attempted(failed!, refused)]);
    expect(await claim(one)).toEqual([]);
    clock.advance(5_000);
    expect(await claim(one)).toMatchObject([{ id: failed!.id, attempts: 1, claim: pending!.claim }]);
  });

  it('are released after some thousand deliveries with a notification to all replicas', async () => {
    await add(10_001);
    const taken = await claim(one, 20_000);
    expect(taken.length).toBeGreaterThanOrEqual(5_000);
    expect(taken.length).toBeLessThanOrEqual(10_000);
    expect(await claim(one)).toEqual([]);
    await heardOf(() => acknowledge(one, taken));
    expect(await claim(two)).toHaveLength(Math.min(100, 10_001 - taken.length));
  });

  it('take no more deliveries in their second half', async () => {
    await add(4);
    const taken = await claim(one, 2);
    clock.advance(leaseMs / 2 + 1);
    expect(await claim(one)).toEqual([]);
    await heardOf(() => acknowledge(one, taken));
    expect(await claim(one)).toMatchObject(Array(2).fill({ claimedUntil: later(leaseMs) }));
  });

  it('expire exactly at their end when a replica has crashed', async () => {
    const ids = await add(3);
    const taken = await claim(one, 2);
    clock.advance(leaseMs - 1);
    expect(await claim(two)).toEqual([]);
    expect(await two.nextDueAt(clock.now())).toBeUndefined();
    clock.advance(1);
    expect(await two.nextDueAt(clock.now())).toEqual(later(-leaseMs));
    expect(idsOf(await claim(two))).toEqual(ids.sort());
    // Releasing an endpoint that another replica has claimed changes nothing.
    await one.release(taken);
    expect(await claim(newReplica())).toEqual([]);
  });

  it('return unsent deliveries to the next claim', async () => {
    const ids = await add(2);
    await one.release(await claim(one));
    expect(idsOf(await claim(two))).toEqual(ids.sort());
  });

  it('take no more after a release, so that released deliveries do not wait behind later ones', async () => {
    const ids = await add(3);
    const taken = await claim(one, 3);
    await one.release(taken.slice(0, 2));
    const [newest] = await add(1, later(0));
    expect(await claim(one)).toEqual([]);
    await heardOf(() => acknowledge(one, taken.slice(2)));
    expect(idsOf(await claim(two))).toEqual([...ids.filter((id) => id !== taken[2]!.id), newest].sort());
  });

  it('prevent changes by a replica that has lost its claim', async () => {
    const [id] = await add(1);
    const [lost] = await claim(one);
    clock.advance(leaseMs);
    const [held] = await claim(two);
    await one.recordAttempts([attempted(lost!, refused)]);
    expect(await fixture.deliveries([id!])).toMatchObject([{ status: 'pending', attempts: 0 }]);
    expect(await fixture.attempts(id!)).toEqual([]);
    expect(await claims()).toEqual([{ claimed_by: held!.claim, claimed_until: later(leaseMs) }]);
    await two.recordAttempts([attempted(held!, refused)]);
    await one.recordAttempts([attempted(lost!, refused)]);
    expect(await fixture.deliveries([id!])).toMatchObject([{ attempts: 1, nextAttemptAt: later(5_000) }]);
    expect(await countDue()).toBe(1);
  });

  it('store an acknowledgement once although the claim is lost', async () => {
    const [id] = await add(1);
    const [lost] = await claim(one);
    clock.advance(leaseMs);
    const [held] = await claim(two);
    await acknowledge(one, [lost!]);
    await two.recordAttempts([attempted(held!, refused)]);
    await acknowledge(two, [held!]);
    expect(await fixture.deliveries([id!])).toMatchObject([{ status: 'delivered', attempts: 1, lastStatusCode: 200 }]);
    expect(await countDue()).toBe(0);
  });

  it('store an attempt once when it is recorded repeatedly', async () => {
    const [id] = await add(1);
    const [taken] = await claim(one);
    for (let time = 0; time < 3; time++) await one.recordAttempts([attempted(taken!, refused)]);
    expect(await fixture.deliveries([id!])).toMatchObject([{ status: 'pending', attempts: 1 }]);
    expect(await fixture.attempts(id!)).toHaveLength(1);
    clock.advance(5_000);
    const [again] = await claim(two);
    // It has the claim, but the attempt was stored before.
    await two.recordAttempts([attempted({ ...again!, attempts: 0 }, refused)]);
    expect(await fixture.deliveries([id!])).toMatchObject([{ status: 'pending', attempts: 1 }]);
  });

  it('give each delivery to one replica at a time with any actions and crashes of replicas', async () => {
    const action = fc.record({
      replica: fc.nat(2),
      kind: fc.constantFrom('claim', 'claim', 'acknowledge', 'refuse', 'release', 'die', 'wait', 'add'),
      count: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
        await fixture.empty();
        endpoint = await fixture.addEndpoint('http://localhost/ok');
        const ids = await add(5);
        const replicas = [0, 1, 2].map(() => ({ queue: newReplica(), hand: [] as ClaimedDelivery[] }));
        for (const { replica, kind, count } of actions) {
          const self = replicas[replica]!;
          const { queue, hand } = self;
          if (kind === 'add') ids.push(...(await add(count)));
          if (kind === 'wait') clock.advance(leaseMs / 4);
          if (kind === 'die') [self.queue, self.hand] = [newReplica(), []];
          if (kind === 'release') await queue.release(hand.splice(0, count));
          if (kind === 'acknowledge') await acknowledge(queue, hand.splice(0, count));
          if (kind === 'refuse')
            await queue.recordAttempts(hand.splice(0, count).map((one) => attempted(one, refused)));
          if (kind === 'claim') hand.push(...(await claim(queue, count)));
          for (const each of replicas) each.hand = each.hand.filter(({ claimedUntil }) => claimedUntil > clock.now());
          const held = replicas.flatMap((each) => each.hand.map(({ id }) => id));
          expect(new Set(held).size).toBe(held.length);
        }
        // A later replica completes the rest when the last claims have expired.
        clock.advance(leaseMs);
        const last = newReplica();
        for (let more = await claim(last); more.length > 0; more = await claim(last)) await acknowledge(last, more);
        expect((await fixture.deliveries(ids)).filter(({ status }) => status !== 'delivered')).toEqual([]);
        expect(await countDue()).toBe(0);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});
