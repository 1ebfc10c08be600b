import type { WebhookEvent } from '@florin/webhooks-domain';
import * as card from '../cards/testing/card-commands';
import { acme, acmeLive, ida, idOf } from '../testing/owners';
import { readToEnd } from '../testing/paging';
import { allRejectedAsStale, behind, upToDate } from '../testing/read-model-database';
import * as endpoint from './testing/endpoint-commands';
import { type WebhooksFixture, webhooksFixture } from './testing/webhooks-fixture';
import { WebhookQueries } from './webhooks.queries';

let fixture: WebhooksFixture;
let queries: WebhookQueries;
let published: readonly WebhookEvent[];

const { endpointId } = endpoint;
const nobody = 'c0ffee00-0000-4000-8000-00000000ffff';

/** Four endpoints and six events, some of them at the same instant. */
beforeAll(async () => {
  fixture = await webhooksFixture();
  queries = new WebhookQueries(fixture.database.reads, upToDate);
  const { log } = fixture;
  await fixture.run(log.endpoint(endpoint.register(1, acme, ['card.created'], 'The shop')));
  await fixture.run(log.endpoint(endpoint.register(2, acme)), log.endpoint(endpoint.register(3, ida)));
  await fixture.run(log.endpoint(endpoint.register(4, acme)), log.endpoint(endpoint.remove(4, acme)));
  log.clock.set('2030-01-02T00:00:01.000Z');
  await fixture.run(log.card(card.issue(1, acme)));
  log.clock.set('2030-01-02T00:00:02.500Z');
  await fixture.run(...[2, 3].map((number) => log.card(card.issue(number, acme))));
  await fixture.run(log.card(card.changeStatus('FreezeCard', 1, acme)));
  log.clock.set('2030-01-02T00:00:03.000Z');
  await fixture.run(log.card(card.changeStatus('UnfreezeCard', 1, acme)));
  await fixture.run(log.card(card.issue(4, acmeLive)));
  published = await fixture.events();
});
afterAll(() => fixture.database.close());

const ofAcme = () => published.filter(({ environment }) => environment === 'sandbox');
const objectsOf = async (filter: Parameters<WebhookQueries['events']>[1]) =>
  (await queries.events(acme, filter, {})).map(({ type, data }) => `${type} ${(data.object.id as string).slice(-1)}`);

describe('Endpoints', () => {
  const shop = {
    ...{ id: endpointId(1), url: 'https://example.com/1', events: ['card.created'], description: 'The shop' },
    ...{ status: 'enabled', createdAt: '2030-01-01T09:00:00.000Z' },
  };

  it('are listed without deleted ones and those of other companies', async () => {
    const listed = await queries.endpoints(acme);
    expect(listed.map(({ id }) => id).sort()).toEqual([endpointId(1), endpointId(2)].sort());
    expect(await queries.endpoints(acmeLive)).toEqual([]);
    expect((await queries.endpoints(ida)).map(({ id }) => id)).toEqual([endpointId(3)]);
  });

  it('are found by their owner only', async () => {
    expect(await queries.endpoint(acme, endpointId(1))).toStrictEqual(shop);
    expect(await queries.endpoint(acmeLive, endpointId(1))).toBeUndefined();
    expect(await queries.endpoint(ida, endpointId(1))).toBeUndefined();
    expect(await queries.endpoint(acme, endpointId(4))).toBeUndefined();
    expect(await queries.endpoint(acme, 'nothing')).toBeUndefined();
  });
});

describe('Events', () => {
  it('are returned to their owner only, as sent', async () => {
    const [first] = published;
    expect(await queries.event(acme, first!.id)).toStrictEqual(first);
    expect(await queries.event(acmeLive, first!.id)).toBeUndefined();
    expect(await queries.event(ida, first!.id)).toBeUndefined();
    expect(await queries.event(acme, `evt_${'0'.repeat(32)}`)).toBeUndefined();
    expect(await queries.event(acme, 'evt_\0')).toBeUndefined();
  });

  it('are listed by owner, the newest first', async () => {
    const listed = await queries.events(acme, {}, {});
    expect(listed.map(({ createdAt }) => createdAt)).toEqual(
      ofAcme()
        .map(({ createdAt }) => createdAt)
        .reverse(),
    );
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(ofAcme().map(({ id }) => id)));
    expect(await queries.events({ ...acme, companyId: nobody }, {}, {})).toEqual([]);
  });

  it('are filtered by type and by time, including both ends', async () => {
    expect(await objectsOf({ type: 'card.updated' })).toEqual(['card.updated 1', 'card.updated 1']);
    expect(await objectsOf({ type: 'holder.created' })).toEqual([]);
    expect(await objectsOf({ createdFrom: '2030-01-02T00:00:03.000Z' })).toEqual(['card.updated 1']);
    expect(await objectsOf({ createdFrom: '2030-01-02T00:00:03.001Z' })).toEqual([]);
    expect(await objectsOf({ createdTo: '2030-01-02T00:00:01.000Z' })).toEqual(['card.created 1']);
    expect(await objectsOf({ createdTo: '2030-01-02T00:00:00.999Z' })).toEqual([]);
    expect(await objectsOf({ type: 'card.created', createdFrom: '2030-01-02T00:00:02.000Z' })).toHaveLength(2);
  });

  it.each([1, 2, 3, 4, 5, 6])('are paged by %i without gaps or repeats', async (limit) => {
    const all = (await queries.events(acme, {}, {})).map(({ id }) => id);
    const paged = await readToEnd(
      (page) => queries.events(acme, {}, page),
      limit,
      ({ createdAt }) => createdAt,
    );
    expect(paged).toEqual(all);
  });
});

describe('Deliveries', () => {
  const list = (filter: Parameters<WebhookQueries['deliveries']>[2] = {}) =>
    queries.deliveries(acme, endpointId(1), filter, {});

  it('are listed the newest first with their attempts', async () => {
    const [newest, , oldest] = await list();
    expect(oldest).toStrictEqual({
      ...{ id: oldest!.id, eventId: published[0]!.id, eventType: 'card.created', status: 'pending', attempts: 0 },
      ...{ nextAttemptAt: '2030-01-02T00:00:01.000Z', createdAt: '2030-01-02T00:00:01.000Z', log: [] },
    });
    await fixture.database.pool.query(
      `UPDATE webhooks.deliveries SET status = 'failed', attempts = 2, last_attempt_at = '2030-01-03T00:00:00Z',
         last_status_code = 500, last_error = 'Refused' WHERE id = $1`,
      [newest!.id],
    );
    await fixture.database.pool.query(
      `INSERT INTO webhooks.attempts VALUES
         ($1, 2, '2030-01-03T00:00:00Z', 7, 500, 'refused', 'Refused', 'Oh no'),
         ($1, 1, '2030-01-02T00:00:05Z', 15000, NULL, 'unreachable', 'No response in time', NULL)`,
      [newest!.id],
    );
    const [failed] = await list({ status: 'failed' });
    const { nextAttemptAt: _, ...before } = newest!;
    expect(failed).toStrictEqual({
      ...{ ...before, status: 'failed', attempts: 2, lastAttemptAt: '2030-01-03T00:00:00.000Z' },
      ...{ lastStatusCode: 500, lastError: 'Refused' },
      log: [
        {
          ...{ number: 1, at: '2030-01-02T00:00:05.000Z', durationMs: 15_000, outcome: 'unreachable' },
          error: 'No response in time',
        },
        {
          ...{ number: 2, at: '2030-01-03T00:00:00.000Z', durationMs: 7, outcome: 'refused' },
          ...{ statusCode: 500, error: 'Refused', excerpt: 'Oh no' },
        },
      ],
    });
    expect(await list({ status: 'pending' })).toHaveLength(2);
    expect(await list({ status: 'cancelled' })).toEqual([]);
  });

  it('are returned to their owner only', async () => {
    expect(await queries.deliveries(ida, endpointId(1), {}, {})).toEqual([]);
    expect(await queries.deliveries(acmeLive, endpointId(1), {}, {})).toEqual([]);
    expect(await queries.deliveries(acme, idOf('card', 1), {}, {})).toEqual([]);
    expect(await queries.deliveries(acme, 'nothing', {}, {})).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6])('are paged by %i without gaps or repeats', async (limit) => {
    const ofSecond = (page: Parameters<WebhookQueries['deliveries']>[3]) =>
      queries.deliveries(acme, endpointId(2), {}, page);
    const all = (await ofSecond({})).map(({ id }) => id);
    expect(all).toHaveLength(ofAcme().length);
    expect(await readToEnd(ofSecond, limit, ({ createdAt }) => createdAt)).toEqual(all);
  });
});

describe('while the read model is behind', () => {
  it('queries wait', async () => {
    const stale = new WebhookQueries(fixture.database.reads, behind);
    const asked = [stale.endpoints(acme), stale.endpoint(acme, endpointId(1)), stale.events(acme, {}, {})];
    await allRejectedAsStale([
      ...asked,
      stale.event(acme, published[0]!.id),
      stale.deliveries(acme, endpointId(1), {}, {}),
    ]);
  });
});
