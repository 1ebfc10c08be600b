import { canonicalJson, deterministicId, isUuid, randomId, sha256 } from '@florin/kernel';
import type { ApiKeyView } from '@florin/read-models';
import type { EndpointAnswer } from '@florin/webhooks-domain';
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

const endpoint = (change: Partial<EndpointAnswer> = {}): EndpointAnswer => ({
  id: randomId(),
  url: 'https://example.com/hooks',
  status: 'enabled',
  createdAt: initialTime,
  ...change,
});

describe('POST /webhook-endpoints', () => {
  const registration = { url: 'https://example.com/hooks', events: ['card.created'], description: 'Shop' };
  const requestId = deterministicId(companyId, 'sandbox', 'POST /api/v1/webhook-endpoints', 'one');
  const endpointId = deterministicId('webhook endpoint', requestId);
  const secretId = deterministicId('webhook secret', requestId);
  const registered = endpoint({ ...registration, id: endpointId } as Partial<EndpointAnswer>);
  const post = (payload: object, headers: Record<string, string> = { 'idempotency-key': 'one' }, key = writer) =>
    api.as(key, { method: 'POST', url: '/api/v1/webhook-endpoints', payload, headers });

  beforeEach(() => api.bus.accept(registered));

  it('sends the command and returns the endpoint with the secret of the vault', async () => {
    const { status, headers, body } = await post(registration);
    expect([status, headers['location']]).toEqual([201, `/api/v1/webhook-endpoints/${endpointId}`]);
    expect(body).toEqual({ ...registered, secret: views.vault.secrets.get(secretId)?.secret });
    expect(views.vault.secrets.get(secretId)?.endpointId).toBe(endpointId);
    const { command, ...envelope } = api.bus.last!;
    expect(envelope).toMatchObject({ context: 'webhooks', key: accountId, id: requestId });
    const ids = { accountId, companyId, environment: 'sandbox', endpointId, secretId, requestId };
    expect(command).toEqual({
      type: 'RegisterEndpoint',
      data: { ...ids, ...registration, fingerprint: sha256(canonicalJson(registration)), now: initialTime },
    });
  });

  it('does not put the secret into the command', async () => {
    const { body } = await post(registration);
    expect(JSON.stringify(api.bus.sent)).not.toContain(body['secret']);
  });

  it('returns the original response with the same secret for the same key', async () => {
    const first = await post(registration);
    views.endpoints = [registered];
    api.bus.accept(registered, true);
    const second = await post(registration);
    expect(second).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
    expect(second.body).toEqual(first.body);
  });

  it('returns 409 for the key of a deleted endpoint', async () => {
    api.bus.accept(registered, true);
    expect(await post(registration)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(views.vault.secrets.size).toBe(0);
  });

  it('keeps the secret if the same key is sent with a different body', async () => {
    const { body } = await post(registration);
    views.endpoints = [registered];
    api.bus.refuse('idempotency_conflict', 'The reason.');
    expect((await post({ url: registration.url })).status).toBe(409);
    expect(views.vault.secrets.get(secretId)?.secret).toBe(body['secret']);
  });

  it('creates a new endpoint for each request without a key', async () => {
    await post(registration, {});
    await post(registration, {});
    const ids = api.bus.sent.map(({ command }) => (command.data as { endpointId: string }).endpointId);
    expect(ids.every(isUuid)).toBe(true);
    expect(new Set(ids).size).toBe(2);
  });

  it.each([
    ['too_many_endpoints', 400, 'quota_exceeded'],
    ['idempotency_conflict', 409, 'idempotency_conflict'],
  ])('maps the refusal %s to %i %s', async (refusal, status, code) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await post(registration)).toMatchObject({ status, body: { code, message: 'The reason.' } });
  });

  it.each([
    ['url', undefined, 'url is required.'],
    ['url', '', 'url must not be empty.'],
    ['url', 'example.com', /^url /],
    ['url', 'ftp://example.com', 'url must begin with https:// or http://.'],
    ['url', 'https://127.0.0.1/hooks', 'url must lead to a public address.'],
    ['url', 'https://2130706433/hooks', 'url must lead to a public address.'],
    ['url', 'http://localhost:4000', /^url must have a host name/],
    ['url', 'https://me:secret@example.com', 'url must not contain a user name or a password.'],
    ['events', [], /^events must contain at least one event type/],
    ['events', 'card.created', 'events must be a list of event types.'],
    ['events', ['card.lost'], /^events\[0\] must be operation\.queued, /],
    ['events', ['webhook_endpoint.test'], /^events\[0\] must be /],
    ['events', ['card.created', 'card.created'], 'events must not contain an event type twice.'],
    ['description', 'x'.repeat(257), 'description must have at most 256 characters.'],
    ['secret', 'whsec_mine', 'Unknown field secret: remove it.'],
    ['status', 'disabled', 'Unknown field status: remove it.'],
  ])('rejects %s: %j', async (field, value, message) => {
    const { body } = await post({ ...registration, [field]: value });
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    expect([api.bus.sent, views.vault.secrets.size]).toEqual([[], 0]);
  });

  it('requires https in live', async () => {
    const key: Partial<ApiKeyView> = { ...writer, environment: 'live' };
    const { body } = await post({ url: 'http://example.com/hooks' }, {}, key);
    expect(body).toMatchObject({ statusCode: 400, message: 'url must begin with https://.' });
    expect((await post({ url: 'https://example.com/hooks' }, {}, key)).status).toBe(201);
  });

  it('checks webhooks:write first', async () => {
    expect((await post({ url: 7 }, {}, reader)).body).toMatchObject({ code: 'scope_missing' });
  });
});

describe('POST /webhook-endpoints with loopback allowed', () => {
  const local = new OperationsApp([WebhooksApiModule], views.standIns());
  beforeAll(() => local.start({ webhookAllowLoopback: true }));
  afterAll(() => local.close());

  it.each([
    ['sandbox', 'http://127.0.0.1:4000/hooks', 201],
    ['sandbox', 'http://localhost:4000/hooks', 201],
    ['sandbox', 'http://10.0.0.1/hooks', 400],
    ['live', 'https://127.0.0.1:4000/hooks', 400],
    ['live', 'https://localhost/hooks', 400],
  ] as const)('an endpoint of %s at %s ends in %i', async (environment, url, status) => {
    local.bus.accept(endpoint());
    const request = { method: 'POST' as const, url: '/api/v1/webhook-endpoints', payload: { url } };
    expect((await local.as({ ...writer, environment }, request)).status).toBe(status);
  });
});

describe('GET /webhook-endpoints', () => {
  const read = (path = '', key = reader) => api.as(key, { url: `/api/v1/webhook-endpoints${path}` });

  it('returns all endpoints without their secrets', async () => {
    views.endpoints = [endpoint(), endpoint({ status: 'disabled', disabledReason: 'failing' })];
    expect(await read()).toMatchObject({ status: 200, body: { data: views.endpoints } });
    expect(views.queries).toEqual([{ owner }]);
  });

  it('returns one endpoint', async () => {
    const found = endpoint({ events: ['card.created'], description: 'Shop' });
    views.endpoints = [found];
    expect(await read(`/${found.id}`)).toMatchObject({ status: 200, body: found });
    expect(views.queries).toEqual([{ owner }]);
  });

  it.each([randomId(), 'unknown'])('returns 404 for %s', async (id) => {
    expect((await read(`/${id}`)).body).toMatchObject({ statusCode: 404, code: 'not_found' });
  });

  it('rejects filters and requires webhooks:read', async () => {
    expect((await read('?status=enabled')).status).toBe(400);
    expect((await read('', writer)).body).toMatchObject({ code: 'scope_missing' });
  });
});

describe('PATCH /webhook-endpoints/{id}', () => {
  const id = randomId();
  const changed = endpoint({ id });
  const patch = (payload: object, key = writer, of = id) =>
    api.as(key, { method: 'PATCH', url: `/api/v1/webhook-endpoints/${of}`, payload });

  it.each([
    { url: 'https://example.com/other' },
    { events: null, description: null },
    { events: ['card.created', 'card.updated'], description: 'Shop', status: 'disabled' },
    {},
  ])('sends only the changed fields of %j and returns the endpoint', async (change) => {
    api.bus.accept(changed);
    expect(await patch(change)).toMatchObject({ status: 200, body: changed });
    const data = { ...change, accountId, endpointId: id, requestId: api.bus.last?.id, now: initialTime };
    expect(api.bus.last).toMatchObject({ context: 'webhooks', key: accountId });
    expect(api.bus.last?.command).toEqual({ type: 'UpdateEndpoint', data });
  });

  it('does not mark the response as replayed if nothing changed', async () => {
    api.bus.accept(changed, true);
    expect((await patch({ status: 'enabled' })).headers).not.toHaveProperty('idempotent-replayed');
  });

  it.each([
    ['url', 'https://10.0.0.1', /^url must lead to a public address/],
    ['url', null, /^url /],
    ['status', 'paused', 'status must be enabled or disabled.'],
    ['events', [], /^events must contain at least one/],
    ['description', '', 'description must not be empty.'],
    ['disabledReason', 'gone', 'Unknown field disabledReason: remove it.'],
  ])('rejects %s: %j', async (field, value, message) => {
    const { body } = await patch({ [field]: value });
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    expect(api.bus.sent).toEqual([]);
  });

  it('returns 404 for an unknown endpoint, and requires webhooks:write', async () => {
    api.bus.refuse('not_found', 'The reason.');
    expect((await patch({})).status).toBe(404);
    expect((await patch({}, writer, 'unknown')).status).toBe(404);
    expect((await patch({}, reader)).body).toMatchObject({ code: 'scope_missing' });
  });
});

describe('DELETE /webhook-endpoints/{id}', () => {
  const id = randomId();
  const remove = (key = writer, of = id) => api.as(key, { method: 'DELETE', url: `/api/v1/webhook-endpoints/${of}` });

  it('sends the command and returns no body', async () => {
    const { status, headers, body } = await remove();
    expect([status, body, headers['content-type']]).toEqual([204, {}, undefined]);
    expect(api.bus.last).toMatchObject({ context: 'webhooks', key: accountId });
    const data = { accountId, endpointId: id, now: initialTime };
    expect(api.bus.last?.command).toEqual({ type: 'DeleteEndpoint', data });
  });

  it('returns 404 for an unknown endpoint, and requires webhooks:write', async () => {
    api.bus.refuse('not_found', 'The reason.');
    expect((await remove()).status).toBe(404);
    expect((await remove(writer, 'unknown')).status).toBe(404);
    expect((await remove(reader)).body).toMatchObject({ code: 'scope_missing' });
  });
});
