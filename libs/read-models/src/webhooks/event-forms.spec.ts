import { expandJson, isTimeOrdered, type WebhookEvent, webhookEventTypes } from '@florin/webhooks-domain';
import fc from 'fast-check';
import * as card from '../cards/testing/card-commands';
import { destroyKey, erase, register as registerHolder, setStatus } from '../holders/testing/holder-commands';
import * as operation from '../operations/testing/operation-commands';
import { cutInto, cuts } from '../testing/batches';
import { acme, acmeLive, ida, idOf } from '../testing/owners';
import { readToEnd } from '../testing/paging';
import { upToDate } from '../testing/read-model-database';
import * as endpoint from './testing/endpoint-commands';
import { storeAsEarlierRelease, type WebhooksFixture, webhooksFixture } from './testing/webhooks-fixture';
import { WebhookQueries } from './webhooks.queries';

jest.setTimeout(60_000);

const owners = [acme, acmeLive, ida];
const name = 'ida1@example.com';

let fixture: WebhooksFixture;
let queries: WebhookQueries;
/** All events of each owner, without any of an earlier release. */
let expected: readonly (readonly WebhookEvent[])[];
let end: bigint;

/** Events of three owners in both forms, many of them at the same instant. */
beforeAll(async () => {
  fixture = await webhooksFixture();
  queries = new WebhookQueries(fixture.database.reads, upToDate);
  const { log } = fixture;
  const id = idOf('operation', 1);
  const steps = [
    () => log.endpoint(endpoint.register(1, acme)),
    () => log.card(card.issue(1, acme)),
    () => log.card(card.issue(2, acmeLive)),
    () => log.card(card.issue(3, ida, { name: 'Ida "Ö" \\ 👩\u200d🚀' })),
    () => log.holder(registerHolder(1, acme)),
    () => log.operation(operation.queue(operation.orderOf(id, acme))),
    () => log.operation(operation.start(id)),
    () => log.card(card.report(1, acme, 1, { status: 'pending' })),
    () => log.endpoint(endpoint.test(1, acme, 'test')),
    () => log.endpoint(endpoint.trigger(acme, 'card.created', 'sample')),
    () => log.card(card.report(1, acme, 1)),
    () => log.holder(setStatus(1, acme, 'blocked')),
    () => log.operation(operation.abandon(id)),
    () => log.operation(operation.resolve(id, 'failed')),
    () => log.operation(operation.fail(id)),
    () => log.card(card.changeStatus('FreezeCard', 1, acme)),
    () => log.card(card.changeStatus('FreezeCard', 3, ida)),
  ];
  for (const [index, step] of steps.entries()) {
    if (index % 5 === 0) log.clock.advance(1);
    expect(await step()).toMatchObject({ ok: true, repeated: false });
  }
  await fixture.run();
  expected = await Promise.all(owners.map((owner) => queries.events(owner, {}, {})));
  end = (await log.events()).at(-1)!.position;
});
afterAll(() => fixture.database.close());

async function startOver(): Promise<void> {
  const tables = ['compact_events', 'events', 'endpoints', 'deliveries', 'due', 'recoveries', 'objects'];
  await fixture.database.pool.query(`TRUNCATE ${tables.map((table) => `webhooks.${table}`).join(', ')}`);
  await fixture.database.pool.query('UPDATE webhooks.sent_up_to SET position = 0');
}

const newestFirst = (one: WebhookEvent, other: WebhookEvent): number =>
  one.createdAt === other.createdAt ? (one.id < other.id ? 1 : -1) : one.createdAt < other.createdAt ? 1 : -1;

/** The last position that an earlier release has projected. */
const upgrades = fc.nat({ max: 1_000 }).map((part) => (end * BigInt(part)) / 1_000n);

describe('events of which an earlier release has stored the first ones', () => {
  it('are the same in lists, by id and in deliveries, and belong to the same owners', async () => {
    const times = fc.constantFrom(undefined, ...new Set(expected.flat().map(({ createdAt }) => createdAt)));
    const types = fc.option(fc.constantFrom(...webhookEventTypes), { nil: undefined });
    const filters = fc.record({ type: types, createdFrom: times, createdTo: times });
    await fc.assert(
      fc.asyncProperty(upgrades, filters, fc.integer({ min: 1, max: 7 }), async (upTo, filter, limit) => {
        await startOver();
        await fixture.project(await fixture.log.events());
        const ids = await storeAsEarlierRelease(fixture.database.pool, upTo);
        const { type, createdFrom = '', createdTo = '~' } = filter;
        for (const [index, owner] of owners.entries()) {
          const all = expected[index]!.map((event) => ({
            ...event,
            id: ids.get(event.id) ?? event.id,
          })) as WebhookEvent[];
          const matching = all
            .filter((event) => type === undefined || event.type === type)
            .filter(({ createdAt }) => createdAt >= createdFrom && createdAt <= createdTo)
            .sort(newestFirst);
          expect(await queries.events(owner, filter, {})).toEqual(matching);
          const list = (page: Parameters<WebhookQueries['events']>[2]) => queries.events(owner, filter, page);
          const paged = await readToEnd(list, limit, ({ createdAt }) => createdAt);
          expect(paged).toEqual(matching.map(({ id }) => id));
          for (const event of all) {
            expect(await queries.event(owner, event.id)).toEqual(event);
            for (const other of owners)
              if (other !== owner) expect(await queries.event(other, event.id)).toBeUndefined();
          }
        }
        const deliveries = await queries.deliveries(acme, endpoint.endpointId(1), {}, {});
        const sent = expected[0]!.map((event) => [ids.get(event.id) ?? event.id, event.type]);
        expect(new Map(deliveries.map(({ eventId, eventType }) => [eventId, eventType]))).toEqual(new Map(sent as []));
      }),
      { numRuns: 12 },
    );
  });

  it('keep their ids and form when the log is projected again in any batches', async () => {
    const rows = async (): Promise<unknown> => {
      const [compact, single] = await Promise.all([
        fixture.database.pool.query('SELECT * FROM webhooks.compact_events ORDER BY id'),
        fixture.database.pool.query('SELECT * FROM webhooks.events ORDER BY id'),
      ]);
      return [compact.rows, single.rows, await fixture.deliveries()];
    };
    await fc.assert(
      fc.asyncProperty(upgrades, cuts, async (upTo, at) => {
        const events = await fixture.log.events();
        await startOver();
        await fixture.project(events);
        await storeAsEarlierRelease(fixture.database.pool, upTo);
        const before = await rows();
        await fixture.project(...cutInto(events, at));
        expect(await rows()).toEqual(before);
      }),
      { numRuns: 10 },
    );
  });

  it('are sent again in both forms, and never to another company', async () => {
    await startOver();
    await fixture.project(await fixture.log.events());
    const ids = await storeAsEarlierRelease(fixture.database.pool, end / 2n);
    const { log } = fixture;
    const single = ids.get(expected[0]!.find(({ id }) => ids.has(id))!.id)!;
    const compact = expected[0]!.find(({ id }) => isTimeOrdered(id) && !ids.has(id))!.id;
    const [foreign] = expected[2]!.map(({ id }) => ids.get(id) ?? id);
    const before = (await fixture.deliveries()).length;
    await fixture.run(
      ...[single, compact, foreign!].map((id, index) => log.endpoint(endpoint.resend(acme, id, `resend ${index}`))),
    );
    const resent = (
      await fixture.database.pool.query<{ event_id: string }>('SELECT event_id FROM webhooks.deliveries WHERE resent')
    ).rows;
    expect(resent.map(({ event_id }) => event_id).sort()).toEqual([single, compact].sort());
    expect(await fixture.deliveries()).toHaveLength(before + 2);
  });
});

describe('the personal data of an erased holder', () => {
  /** Every value of every table of the schema, with compact ones expanded. */
  async function everyText(): Promise<string> {
    const { pool } = fixture.database;
    const tables = await pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'webhooks'`,
    );
    const texts = tables.rows.map(async ({ name }) => {
      const { rows } = await pool.query<Record<string, unknown>>(`SELECT * FROM webhooks.${name}`);
      return rows.map((row) =>
        Object.values(row).map((value) =>
          Buffer.isBuffer(value) ? expandJson(value, row['object_id'] as string) : JSON.stringify(value),
        ),
      );
    });
    return JSON.stringify(await Promise.all(texts));
  }

  it('is in no table with either form of events', async () => {
    await startOver();
    await fixture.project(await fixture.log.events());
    await storeAsEarlierRelease(fixture.database.pool, end / 2n);
    expect(await everyText()).toContain(name);
    await fixture.run(fixture.log.holder(erase(1, acme)));
    await destroyKey(fixture.database.pool, idOf('holder', 1));
    expect(await everyText()).not.toContain(name);
    await startOver();
    await fixture.project(await fixture.log.events());
    expect(await everyText()).not.toContain(name);
  });
});
