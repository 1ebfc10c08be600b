import { deterministicId, randomId } from '@florin/kernel';
import type { ApiKeyView, DeliveryView } from '@florin/read-models';
import { type EndpointAnswer, requestedEventId } from '@florin/webhooks-domain';
import { accountId, companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';
import { WebhookViews } from '../../testing/webhook-views';
import { WebhooksApiModule } from '../webhooks-api.module';
import { exampleDelivery } from './delivery-schemas';

const views = new WebhookViews();
const api = new OperationsApp([WebhooksApiModule], views.standIns());
const id = randomId();
const endpoint: EndpointAnswer = { id, url: 'https://example.com', status: 'enabled', createdAt: initialTime };

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  views.clear();
  views.endpoints = [endpoint];
});

const writer: Partial<ApiKeyView> = { scopes: ['webhooks:write'] };
const reader: Partial<ApiKeyView> = { scopes: ['webhooks:read'] };
const owner = { companyId, environment: 'sandbox' };
const withKey = { 'idempotency-key': 'one' };
const requestIdOf = (verb: string) =>
  deterministicId(companyId, 'sandbox', `POST /api/v1/webhook-endpoints/:id/${verb} {"id":"${id}"}`, 'one');
const post = (verb: string, payload?: object, headers: Record<string, string> = withKey, key = writer, of = id) =>
  api.as(key, { method: 'POST', url: `/api/v1/webhook-endpoints/${of}/${verb}`, payload, headers });

describe('POST /webhook-endpoints/{id}/rotate-secret', () => {
  const requestId = requestIdOf('rotate-secret');
  const secretId = deterministicId('webhook secret', requestId);
  beforeEach(() => api.bus.accept(endpoint));

  it('returns the new secret and keeps the old one valid for 24 hours', async () => {
    expect(await post('rotate-secret')).toMatchObject({ status: 200, body: endpoint });
    const overlapUntil = '2026-01-02T00:00:00.000Z';
    const data = { accountId, endpointId: id, secretId, requestId, overlapUntil, now: initialTime };
    expect(api.bus.last).toMatchObject({ context: 'webhooks', key: accountId, id: requestId });
    expect(api.bus.last?.command).toEqual({ type: 'RotateEndpointSecret', data });
  });

  it('returns the same secret for the same key, and a new one for another request', async () => {
    const first = await post('rotate-secret');
    api.bus.accept(endpoint, true);
    const second = await post('rotate-secret');
    expect(second).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' }, body: first.body });
    expect((await post('rotate-secret', {}, {})).body['secret']).not.toBe(first.body['secret']);
  });

  it('costs ten tokens of the rate limit', async () => {
    const limited = new OperationsApp([WebhooksApiModule], views.standIns());
    await limited.start({ rateLimits: { live: 0, sandbox: 30 } });
    limited.bus.accept(endpoint);
    const rotate = () =>
      limited.as(writer, { method: 'POST', url: `/api/v1/webhook-endpoints/${id}/rotate-secret`, payload: {} });
    const statuses = [];
    for (let time = 1; time <= 4; time++) statuses.push((await rotate()).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    await limited.close();
  });

  it('creates no secret for an unknown endpoint', async () => {
    views.endpoints = [];
    expect((await post('rotate-secret')).status).toBe(404);
    expect([api.bus.sent, views.vault.secrets.size, views.queries]).toEqual([[], 0, [{ owner }]]);
  });
});

describe('POST /webhook-endpoints/{id}/test', () => {
  it('returns the id of the event, and the same id for the same key', async () => {
    const requestId = requestIdOf('test');
    const event = { id: requestedEventId(requestId), type: 'webhook_endpoint.test' };
    expect(await post('test')).toMatchObject({ status: 202, body: event });
    const data = { accountId, endpointId: id, requestId, now: initialTime };
    expect(api.bus.last?.command).toEqual({ type: 'TestEndpoint', data });
    api.bus.accept(endpoint, true);
    expect(await post('test')).toMatchObject({ headers: { 'idempotent-replayed': 'true' }, body: event });
  });
});

describe('POST /webhook-endpoints/{id}/recover', () => {
  it('requests all events since a time', async () => {
    const requestId = requestIdOf('recover');
    expect(await post('recover', { since: '2025-12-31T00:00:00+01:00' })).toMatchObject({ status: 202, body: {} });
    const data = { accountId, endpointId: id, requestId, since: '2025-12-30T23:00:00.000Z', now: initialTime };
    expect(api.bus.last?.command).toEqual({ type: 'RecoverEndpoint', data });
    api.bus.accept(endpoint, true);
    const again = await post('recover', { since: '2025-12-31T00:00:00+01:00' });
    expect(again).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } });
  });

  it.each([
    [{}, 'since is required.'],
    [{ since: 'yesterday' }, 'since must be an ISO 8601 date-time such as 2030-01-31T12:00:00Z.'],
    [{ since: '2025-12-31T00:00:00Z', until: 'now' }, 'Unknown field until: remove it.'],
  ])('rejects %j', async (payload, message) => {
    expect((await post('recover', payload)).body).toMatchObject({ statusCode: 400, message });
    expect(api.bus.sent).toEqual([]);
  });
});

describe.each(['rotate-secret', 'test', 'recover'])('POST /webhook-endpoints/:id/%s', (verb) => {
  const payload = verb === 'recover' ? { since: '2025-12-31T00:00:00Z' } : undefined;

  it.each([
    ['not_found', 404, 'not_found'],
    ['idempotency_conflict', 409, 'idempotency_conflict'],
    ['endpoint_disabled', 400, 'validation_failed'],
  ])('maps the refusal %s to %i', async (refusal, status, code) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await post(verb, payload)).toMatchObject({ status, body: { code, message: 'The reason.' } });
  });

  it('requires webhooks:write and returns 404 for a malformed id', async () => {
    expect((await post(verb, payload, {}, reader)).body).toMatchObject({ code: 'scope_missing' });
    expect((await post(verb, payload, {}, writer, 'unknown')).status).toBe(404);
    expect((await post(verb, { ...payload, colour: 'red' })).status).toBe(400);
    expect(api.bus.sent).toEqual([]);
  });

  it('generates a new command id without an Idempotency-Key', async () => {
    api.bus.accept(endpoint);
    await post(verb, payload, {});
    await post(verb, payload, {});
    const ids = api.bus.sent.map(({ command }) => (command.data as { requestId: string }).requestId);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('GET /webhook-endpoints/{id}/deliveries', () => {
  const view = (): DeliveryView => ({ ...(exampleDelivery as DeliveryView), id: randomId() });
  const list = (query = '', key = reader, of = id) =>
    api.as(key, { url: `/api/v1/webhook-endpoints/${of}/deliveries${query}` });

  it('returns the deliveries in pages', async () => {
    views.deliveries = [view(), view()];
    const { body } = await list('?limit=1&status=pending');
    expect(body['data']).toEqual(views.deliveries.slice(0, 1));
    await list(`?status=pending&cursor=${String(body['nextCursor'])}`);
    const [first] = views.deliveries;
    const after = { id: first!.id, createdAt: first!.createdAt };
    expect(views.queries.at(-1)).toMatchObject({ owner, filter: { status: 'pending' }, page: { after, limit: 51 } });
  });

  it('rejects the cursor of another endpoint', async () => {
    const other = randomId();
    views.endpoints.push({ ...endpoint, id: other });
    views.deliveries = [view(), view()];
    const cursor = String((await list('?limit=1')).body['nextCursor']);
    expect((await list(`?limit=1&cursor=${cursor}`)).status).toBe(200);
    expect((await list(`?limit=1&cursor=${cursor}`, reader, other)).body).toMatchObject({ code: 'validation_failed' });
  });

  it('returns 404 for an unknown endpoint', async () => {
    expect((await list('', reader, randomId())).status).toBe(404);
    expect((await list('', reader, 'unknown')).status).toBe(404);
  });

  it.each(['status=lost', 'eventId=evt_1', 'limit=0'])('rejects %s', async (query) => {
    expect((await list(`?${query}`)).body).toMatchObject({ code: 'validation_failed' });
  });

  it('requires webhooks:read', async () => {
    expect((await list('', writer)).body).toMatchObject({ code: 'scope_missing' });
  });
});
