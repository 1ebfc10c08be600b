import type { WebhookEvent } from '@florin/webhooks-domain';
import fc from 'fast-check';
import * as card from '../cards/testing/card-commands';
import { destroyKey, erase, register as registerHolder, setStatus } from '../holders/testing/holder-commands';
import * as operation from '../operations/testing/operation-commands';
import { cutInto, cuts } from '../testing/batches';
import { acme, ida, idOf } from '../testing/owners';
import * as endpoint from './testing/endpoint-commands';
import { storeAsEarlierRelease, storedEvents, type WebhooksFixture, webhooksFixture } from './testing/webhooks-fixture';

jest.setTimeout(30_000);

let fixture: WebhooksFixture;

beforeAll(async () => {
  fixture = await webhooksFixture();
});
afterAll(() => fixture.database.close());
beforeEach(() => fixture.reset());

const tables = ['compact_events', 'events', 'endpoints', 'deliveries', 'due', 'recoveries', 'sent_up_to'] as const;

/** The tables with events. */
const eventTables = 'webhooks.compact_events, webhooks.events';

/** All rows that the projection writes. */
async function everything(): Promise<Record<string, unknown>> {
  const rows = tables.map(async (table) => {
    const orders: Partial<Record<string, string>> = { due: 'ORDER BY delivery_id', recoveries: '', sent_up_to: '' };
    const order = orders[table] ?? 'ORDER BY id';
    return [table, (await fixture.database.pool.query(`SELECT * FROM webhooks.${table} ${order}`)).rows] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

/** Resets the position, as if nothing had been sent. */
async function startOver(): Promise<void> {
  await fixture.database.pool.query(
    `TRUNCATE ${eventTables}, webhooks.endpoints, webhooks.deliveries, webhooks.due, webhooks.recoveries`,
  );
  await fixture.database.pool.query('UPDATE webhooks.sent_up_to SET position = 0');
}

/** Events of all kinds, with endpoints that are registered, changed and deleted in between. */
async function history(): Promise<void> {
  const { log } = fixture;
  const id = idOf('operation', 1);
  const steps = [
    () => log.card(card.issue(1, acme)),
    () => log.endpoint(endpoint.register(1, acme)),
    () => log.endpoint(endpoint.register(2, acme, ['card.updated', 'webhook_endpoint.disabled'])),
    () => log.endpoint(endpoint.register(3, ida)),
    () => log.holder(registerHolder(1, acme)),
    () => log.card(card.report(1, acme, 1, { status: 'pending' })),
    () => log.endpoint(endpoint.test(2, acme, 'test')),
    () => log.endpoint(endpoint.trigger(acme, 'holder.created', 'sample')),
    () => log.card(card.report(1, acme, 1)),
    () => log.endpoint(endpoint.disable(1, acme)),
    () => log.holder(setStatus(1, acme, 'blocked')),
    () => log.card(card.changeStatus('FreezeCard', 1, acme)),
    () => log.endpoint(endpoint.update(1, acme, { status: 'enabled', url: 'https://example.com/new' })),
    () => log.endpoint(endpoint.recover(1, acme, 'recover', '2030-01-01T10:00:05.000Z')),
    () => log.endpoint(endpoint.rotate(1, acme, 11, '2030-01-02T00:00:00.000Z')),
    () => log.card(card.changeStatus('UnfreezeCard', 1, acme)),
    () => log.endpoint(endpoint.remove(2, acme)),
    () => log.card(card.issue(2, ida)),
    () => log.endpoint(endpoint.disable(3, ida, 'failing')),
    () => log.operation(operation.queue(operation.orderOf(id, acme))),
    () => log.operation(operation.start(id)),
    () => log.operation(operation.abandon(id)),
    () => log.operation(operation.resolve(id, 'failed')),
    () => log.operation(operation.fail(id)),
  ];
  for (const step of steps) {
    log.clock.advance(1_000);
    expect(await step()).toMatchObject({ ok: true, repeated: false });
  }
  await fixture.run();
}

describe('replaying the log', () => {
  it('changes nothing and sends nothing', async () => {
    await history();
    const before = await everything();
    expect(before.deliveries).not.toEqual([]);
    expect(before.recoveries).toHaveLength(1);
    await fixture.database.pool.query(`UPDATE webhooks.deliveries SET status = 'delivered', attempts = 1`);
    const delivered = await everything();
    await fixture.project(await fixture.log.events());
    expect(await everything()).toEqual(delivered);
  });

  it('rebuilds identical events without sending them', async () => {
    await history();
    const before = await everything();
    await fixture.database.pool.query(`TRUNCATE ${eventTables}, webhooks.endpoints`);
    await fixture.project(await fixture.log.events());
    expect(await everything()).toEqual(before);
    await fixture.database.pool.query(`TRUNCATE ${eventTables}, webhooks.endpoints, webhooks.deliveries, webhooks.due`);
    await fixture.project(await fixture.log.events());
    expect(await everything()).toEqual({ ...before, deliveries: [], due: [] });
  });

  it('sends new events once it has caught up', async () => {
    await history();
    const before = await fixture.deliveries();
    await fixture.project(await fixture.log.events());
    const published = await fixture.run(fixture.log.card(card.changeStatus('FreezeCard', 1, acme, 'once more')));
    expect(published).toHaveLength(1);
    expect((await fixture.deliveries()).slice(before.length)).toMatchObject([
      { event_id: published[0]!.id, endpoint_id: endpoint.endpointId(1), status: 'pending' },
    ]);
  });

  it('has the same result when every batch starts with the last event of the previous one', async () => {
    await history();
    const [whole, events] = [await everything(), await fixture.log.events()];
    await startOver();
    await fixture.project(...events.map((_, index) => events.slice(Math.max(0, index - 2), index + 1)));
    expect(await everything()).toEqual(whole);
  });

  it('has the same result for any batches and duplicates', async () => {
    await history();
    const [whole, events] = [await everything(), await fixture.log.events()];
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        await startOver();
        await fixture.project(...cutInto(events, at));
        expect(await everything()).toEqual(whole);
      }),
      { numRuns: 25 },
    );
  });
});

describe('the body of an event', () => {
  const bodies = async (): Promise<readonly string[]> =>
    (await storedEvents(fixture.database.pool)).map(({ body }) => body);

  it('is the same byte by byte whether or not an endpoint receives it', async () => {
    const { log, database } = fixture;
    const id = idOf('operation', 1);
    const steps = [
      () => log.operation(operation.queue(operation.orderOf(id, acme))),
      () => log.operation(operation.start(id)),
      () => log.card(card.issue(1, acme, { name: 'Ida "Ö" \\ \n \0 \ud800 👩\u200d🚀' })),
      () => log.operation(operation.abandon(id)),
      () => log.operation(operation.resolve(id, 'failed')),
      () => log.operation(operation.fail(id)),
      () => log.card(card.report(1, acme, 1, { status: 'pending' })),
      () => log.holder(registerHolder(1, acme)),
      () => log.holder(setStatus(1, acme, 'blocked')),
    ];
    for (const step of steps) {
      log.clock.advance(1_037);
      await fixture.run(step());
    }
    const unsent = await bodies();
    expect(await fixture.deliveries()).toEqual([]);
    await fixture.run(log.endpoint(endpoint.register(1, acme)));
    await database.pool.query(`TRUNCATE ${eventTables}`);
    await database.pool.query('UPDATE webhooks.sent_up_to SET position = 0');
    await fixture.project(await log.events());
    expect(await fixture.deliveries()).toHaveLength(unsent.length);
    expect(await bodies()).toEqual(unsent);
    for (const body of unsent) {
      const { id, type, createdAt, environment, companyId, objectVersion, data } = JSON.parse(body) as WebhookEvent;
      expect(body).toBe(JSON.stringify({ id, type, createdAt, environment, companyId, objectVersion, data }));
      expect(new Date(createdAt).toISOString()).toBe(createdAt);
    }
  });

  it('is not stored with the columns that it repeats', async () => {
    await fixture.run(fixture.log.card(card.issue(1, acme)), fixture.log.holder(registerHolder(1, acme)));
    const single = `SELECT body, object::json ->> 'status' AS status FROM webhooks.events`;
    expect((await fixture.database.pool.query(single)).rows).toEqual([{ body: null, status: 'active' }]);
    const compact = 'SELECT length(object) < 150 AS "isShort" FROM webhooks.compact_events';
    expect((await fixture.database.pool.query(compact)).rows).toEqual([{ isShort: true }]);
  });

  it('of an event that an earlier release has stored stays as it was sent, also for the next event', async () => {
    const { log, database } = fixture;
    await fixture.run(log.card(card.issue(1, acme)), log.holder(registerHolder(1, acme)));
    const before = await bodies();
    await storeAsEarlierRelease(database.pool);
    await database.pool.query('UPDATE webhooks.events AS e SET body = webhooks.event_body(e), object = NULL');
    const withoutId = (body: string) => body.replace(/evt_[0-9a-f]{32}/, '');
    expect((await bodies()).map(withoutId)).toEqual(before.map(withoutId));
    const published = await fixture.run(
      log.card(card.changeStatus('FreezeCard', 1, acme)),
      log.holder(setStatus(1, acme, 'blocked')),
    );
    expect(published).toMatchObject([
      { objectVersion: 2, data: { object: { status: 'frozen', balance: '100.00' } } },
      { objectVersion: 2, data: { object: { status: 'blocked', email: 'ida1@example.com' } } },
    ]);
    await fixture.run(log.holder(erase(1, acme)));
    expect((await bodies()).join()).not.toContain('ida1@example.com');
  });
});

describe('an object whose events were purged', () => {
  /** As the dispatcher does after the retention time. */
  const purge = async (): Promise<void> => {
    await fixture.database.pool.query(`
      WITH compact AS (DELETE FROM webhooks.compact_events RETURNING *), single AS (DELETE FROM webhooks.events RETURNING *)
      INSERT INTO webhooks.objects (object_id, company_id, environment, version, object, compact, position)
      SELECT DISTINCT ON (object_id) * FROM (
        SELECT object_id, company_id, environment::text, object_version, NULL, object, position FROM compact
        UNION ALL
        SELECT object_id, company_id, environment, object_version, object, NULL, position FROM single
      ) AS purged ORDER BY object_id, position DESC
      ON CONFLICT (object_id) DO UPDATE SET version = EXCLUDED.version, object = EXCLUDED.object,
        compact = EXCLUDED.compact, position = EXCLUDED.position`);
  };

  it('is published as before when it changes', async () => {
    const { log } = fixture;
    await fixture.run(log.card(card.issue(1, acme)), log.holder(registerHolder(1, acme)));
    await purge();
    const [frozen] = await fixture.run(log.card(card.changeStatus('FreezeCard', 1, acme)));
    expect(frozen).toMatchObject({
      ...acme,
      type: 'card.updated',
      objectVersion: 2,
      data: { object: { status: 'frozen' } },
    });
    const [blocked] = await fixture.run(log.holder(setStatus(1, acme, 'blocked')));
    expect(blocked).toMatchObject({
      objectVersion: 2,
      data: { object: { status: 'blocked', email: 'ida1@example.com' } },
    });
    await purge();
    const [unfrozen] = await fixture.run(log.card(card.changeStatus('UnfreezeCard', 1, acme)));
    expect(unfrozen).toMatchObject({ objectVersion: 3, data: { object: { status: 'active', balance: '100.00' } } });
  });

  it('is published with the same events by a rebuild', async () => {
    const { log, database } = fixture;
    await fixture.run(log.card(card.issue(1, acme)), log.card(card.changeStatus('FreezeCard', 1, acme)));
    await fixture.run(log.card(card.changeStatus('UnfreezeCard', 1, acme)));
    const published = await fixture.events();
    await purge();
    await fixture.project(...(await log.events()).map((event) => [event]));
    expect(await fixture.events()).toEqual(published);
    expect((await database.pool.query('SELECT version FROM webhooks.objects')).rows).toEqual([{ version: 3 }]);
  });

  it('is erased with its holder', async () => {
    const { log, database } = fixture;
    await fixture.run(log.holder(registerHolder(1, acme)));
    await purge();
    await fixture.run(log.holder(erase(1, acme)));
    const { rows } = await database.pool.query<{ object: string }>('SELECT object FROM webhooks.objects');
    expect(rows.map(({ object }) => JSON.parse(object) as unknown)).toMatchObject([
      { name: '[erased]', email: '[erased]' },
    ]);
  });
});

describe('an erased holder', () => {
  const { name, email } = { name: 'Ida \\"Ö\\" 1', email: 'ida1@example.com' };

  it('appears in no stored and no later event', async () => {
    const { log, database } = fixture;
    await fixture.run(log.endpoint(endpoint.register(1, acme)));
    await fixture.run(log.holder(registerHolder(1, acme)), log.holder(registerHolder(2, acme)));
    await fixture.run(log.holder(setStatus(1, acme, 'blocked')));
    const before = await bodies();
    expect(before.filter((body) => body.includes(name) && body.includes(email))).toHaveLength(2);
    const published = await fixture.run(log.holder(erase(1, acme)));
    expect(published).toMatchObject([
      { type: 'holder.updated', objectVersion: 3, data: { object: { status: 'inactive', name: '[erased]' } } },
    ]);
    await destroyKey(database.pool, idOf('holder', 1));
    const after = await bodies();
    expect(after.join()).not.toContain(name);
    expect(after.join()).not.toContain(email);
    expect(after.filter((body) => body.includes('ida2@example.com'))).toHaveLength(1);
    // All except the personal data is unchanged.
    expect(after.slice(0, 3)).toEqual(
      before.map((body) => body.replaceAll(`"${name}"`, '"[erased]"').replaceAll(`"${email}"`, '"[erased]"')),
    );
    await database.pool.query(`TRUNCATE ${eventTables}`);
    await fixture.project(await log.events());
    expect(await bodies()).toEqual(after);
  });

  it('is removed within one batch and from the stored responses', async () => {
    const { log, database } = fixture;
    await fixture.run(log.endpoint(endpoint.register(1, acme)), log.endpoint(endpoint.register(2, ida)));
    await fixture.run(log.holder(registerHolder(1, acme)), log.holder(registerHolder(2, ida)));
    await database.pool.query(`
      INSERT INTO webhooks.attempts (delivery_id, number, at, duration_ms, outcome, excerpt)
      SELECT id, 1, now(), 1, 'refused', 'Who is Ida?' FROM webhooks.deliveries`);
    await fixture.run(log.holder(setStatus(1, acme, 'blocked')), log.holder(erase(1, acme)));
    expect((await bodies()).filter((body) => body.includes('ida1@example.com'))).toEqual([]);
    const text = `
      SELECT endpoint_id FROM webhooks.attempts JOIN webhooks.deliveries ON id = delivery_id WHERE excerpt IS NOT NULL`;
    expect((await database.pool.query(text)).rows).toEqual([{ endpoint_id: endpoint.endpointId(2) }]);
  });

  const bodies = async (): Promise<readonly string[]> => {
    return (await storedEvents(fixture.database.pool)).map(({ body }) => body);
  };
});
