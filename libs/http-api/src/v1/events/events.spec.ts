import { deterministicId, randomId } from '@florin/kernel';
import type { ApiKeyView } from '@florin/read-models';
import { requestedEventId, type WebhookEvent } from '@florin/webhooks-domain';
import { exampleOf } from '../../asyncapi/asyncapi-document';
import { accountId, companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';
import { WebhookViews } from '../../testing/webhook-views';
import { WebhooksApiModule } from '../webhooks-api.module';

const views = new WebhookViews();
const api = new OperationsApp([WebhooksApiModule], views.standIns());

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  views.clear();
});

const writer: Partial<ApiKeyView> = { scopes: ['webhooks:write'] };
const reader: Partial<ApiKeyView> = { scopes: ['webhooks:read'] };
const owner = { companyId, environment: 'sandbox' };
const withKey = { 'idempotency-key': 'one' };

const event = (): WebhookEvent => ({ ...exampleOf('card.created'), id: requestedEventId(randomId()) });
const known = event();

describe('GET /events', () => {
  const list = (query = '', key = reader) => api.as(key, { url: `/api/v1/events${query}` });

  it('returns pages of 50 events, as sent to endpoints', async () => {
    views.events = [event(), event()];
    expect((await list()).body).toEqual({ data: views.events });
    expect(views.queries).toEqual([{ owner, filter: {}, page: { limit: 51 } }]);
  });

  it('continues after the previous page with the same filters', async () => {
    views.events = [event(), event()];
    const filter = {
      type: 'card.created',
      createdFrom: '2026-01-01T00:00:00.000Z',
      createdTo: '2030-12-31T00:00:00.000Z',
    };
    const query = new URLSearchParams({ ...filter, limit: '1' }).toString();
    const { body } = await list(`?${query}`);
    expect(body['data']).toEqual(views.events.slice(0, 1));
    await list(`?${query}&cursor=${String(body['nextCursor'])}`);
    const { id, createdAt } = views.events[0]!;
    expect(views.queries.at(-1)).toMatchObject({ filter, page: { limit: 2, after: { id, createdAt } } });
  });

  it('filters by any event type', async () => {
    await list('?type=webhook_endpoint.test');
    expect(views.queries).toMatchObject([{ filter: { type: 'webhook_endpoint.test' } }]);
  });

  it.each([
    'type=card.lost',
    'createdFrom=yesterday',
    'limit=101',
    'cursor=x',
    'objectId=1',
    'type=card.created&type=card.updated',
  ])('rejects %s', async (query) => {
    expect((await list(`?${query}`)).body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(views.queries).toEqual([]);
  });

  it('hides the name and the e-mail address of holders from keys without holders:read', async () => {
    const about = exampleOf('holder.created');
    const object = { ...about.data.object, name: '[hidden]', email: '[hidden]' };
    views.events = [about, known];
    expect((await list()).body).toEqual({ data: [{ ...about, data: { object } }, known] });
    const allowed: Partial<ApiKeyView> = { scopes: ['webhooks:read', 'holders:read'] };
    expect((await list('', allowed)).body).toEqual({ data: [about, known] });
    const read = (key: Partial<ApiKeyView>) => api.as(key, { url: `/api/v1/events/${about.id}` });
    expect((await read(reader)).body).toEqual({ ...about, data: { object } });
    expect((await read(allowed)).body).toEqual(about);
  });

  it('requires webhooks:read', async () => {
    expect((await list('', writer)).body).toMatchObject({ code: 'scope_missing' });
  });
});

describe('GET /events/{id}', () => {
  const read = (id: string, key = reader) => api.as(key, { url: `/api/v1/events/${id}` });

  it('returns the event', async () => {
    views.events = [known];
    expect(await read(known.id)).toMatchObject({ status: 200, body: known });
    expect(views.queries).toEqual([{ owner }]);
  });

  it.each([event().id, 'evt_1', `evt_${'A'.repeat(32)}`, randomId()])('returns 404 for %s', async (id) => {
    expect((await read(id)).body).toMatchObject({ statusCode: 404, code: 'not_found' });
  });

  it('requires webhooks:read', async () => {
    expect((await read(known.id, writer)).body).toMatchObject({ code: 'scope_missing' });
  });
});

describe('POST /events/{id}/resend', () => {
  const endpointId = randomId();
  const resend = (payload?: object, key = writer, id: string = known.id, headers: Record<string, string> = withKey) =>
    api.as(key, { method: 'POST', url: `/api/v1/events/${id}/resend`, payload, headers });
  const requestId = deterministicId(companyId, 'sandbox', `POST /api/v1/events/:id/resend {"id":"${known.id}"}`, 'one');

  beforeEach(() => {
    views.events = [known];
  });

  it.each([undefined, {}, { endpointId }])('sends the command for %j', async (payload) => {
    expect(await resend(payload)).toMatchObject({ status: 202, body: {} });
    expect(api.bus.last).toMatchObject({ context: 'webhooks', key: accountId, id: requestId });
    const data = { accountId, eventId: known.id, requestId, now: initialTime };
    expect(api.bus.last?.command).toEqual({ type: 'ResendEvent', data: { ...data, endpointId: payload?.endpointId } });
    expect(views.queries).toEqual([{ owner }]);
  });

  it('marks a repeated response as replayed', async () => {
    api.bus.accept(null, true);
    expect((await resend()).headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });

  it('sends no command for an unknown event or an invalid endpoint id', async () => {
    expect((await resend({}, writer, event().id)).status).toBe(404);
    expect((await resend({}, writer, 'evt_1')).status).toBe(404);
    expect((await resend({ endpointId: 'unknown' })).status).toBe(404);
    expect((await resend({ endpointId: 7 })).status).toBe(400);
    expect((await resend({ to: endpointId })).body).toMatchObject({ message: 'Unknown field to: remove it.' });
    expect((await resend({}, reader)).body).toMatchObject({ code: 'scope_missing' });
    expect(api.bus.sent).toEqual([]);
  });

  it.each([
    ['not_found', 404],
    ['endpoint_disabled', 400],
    ['idempotency_conflict', 409],
  ])('maps the refusal %s to %i', async (refusal, status) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await resend({ endpointId })).toMatchObject({ status, body: { message: 'The reason.' } });
  });
});

describe('POST /sandbox/events', () => {
  const trigger = (payload: object, key = writer, headers: Record<string, string> = withKey) =>
    api.as(key, { method: 'POST', url: '/api/v1/sandbox/events', payload, headers });
  const requestId = deterministicId(companyId, 'sandbox', 'POST /api/v1/sandbox/events', 'one');

  it('returns the id of the event, and the same id for the same key', async () => {
    const expected = { id: requestedEventId(requestId), type: 'invoice.expired' };
    expect(await trigger({ type: 'invoice.expired' })).toMatchObject({ status: 202, body: expected });
    const data = {
      accountId,
      companyId,
      environment: 'sandbox',
      eventType: 'invoice.expired',
      requestId,
      now: initialTime,
    };
    expect(api.bus.last).toMatchObject({ context: 'webhooks', key: accountId, id: requestId });
    expect(api.bus.last?.command).toEqual({ type: 'TriggerSample', data });
    api.bus.accept(null, true);
    const again = await trigger({ type: 'invoice.expired' });
    expect(again).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' }, body: expected });
  });

  it.each([
    [{}, /^type is required/],
    [{ type: 'card.lost' }, /^type must be operation\.queued, /],
    [{ type: 'webhook_endpoint.test' }, /^type must be /],
    [{ type: 'card.created', data: {} }, /^Unknown field data: remove it/],
  ])('rejects %j', async (payload, message) => {
    const { body } = await trigger(payload);
    expect(body).toMatchObject({ statusCode: 400, message: expect.stringMatching(message) });
    expect(api.bus.sent).toEqual([]);
  });

  it('requires a sandbox key with webhooks:write', async () => {
    const live = await trigger({ type: 'card.created' }, { ...writer, environment: 'live' });
    expect(live.body).toMatchObject({ statusCode: 400, code: 'sandbox_only' });
    expect((await trigger({}, { ...reader, environment: 'live' })).body).toMatchObject({ code: 'scope_missing' });
  });
});
