import { deterministicId, isUuid, randomId } from '@florin/kernel';
import type { CardAnswer } from '@florin/operations-domain';
import type { ApiKeyView, CardView } from '@florin/read-models';
import { partSize } from '../../pages';
import { accountId, companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';

const api = new OperationsApp();

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  api.views.queries.length = 0;
});

const reader: Partial<ApiKeyView> = { scopes: ['cards:read'] };
const writer: Partial<ApiKeyView> = { scopes: ['cards:write'] };

const view = (change: Partial<CardView> = {}): CardView => ({
  id: randomId(),
  name: 'Travel',
  holderId: randomId(),
  last4: '4242',
  status: 'active',
  balance: '100.00',
  productId: 'virtual-usd',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...change,
});

describe('GET /cards', () => {
  const list = (query = '') => api.as(reader, { url: `/api/v1/cards${query}` });

  it('returns all cards without a limit', async () => {
    api.views.cards = [view(), view(), view()];
    expect(await list()).toMatchObject({ status: 200, body: { data: api.views.cards } });
    const page = { limit: partSize };
    expect(api.views.queries).toEqual([{ owner: { companyId, environment: 'sandbox' }, filter: {}, page }]);
  });

  it('returns pages if a limit is sent', async () => {
    api.views.cards = [view(), view(), view()];
    const { body } = await list('?limit=2&status=active');
    expect(body['data']).toEqual(api.views.cards.slice(0, 2));
    await list(`?status=active&cursor=${String(body['nextCursor'])}`);
    const { id, createdAt } = api.views.cards[1]!;
    expect(api.views.queries.at(-1)).toMatchObject({
      filter: { status: 'active' },
      page: { after: { id, createdAt } },
    });
    expect(Object.keys((await list('?limit=3')).body)).toEqual(['data']);
  });

  it('applies every filter', async () => {
    const holderId = randomId();
    await list(`?status=frozen&holderId=${holderId}&productId=virtual-usd`);
    expect(api.views.queries).toMatchObject([{ filter: { status: 'frozen', holderId, productId: 'virtual-usd' } }]);
  });

  it.each(['status=lost', 'holderId=nope', 'productId=No+product', 'name=Travel'])('rejects %s', async (query) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('requires cards:read', async () => {
    expect((await api.as(writer, { url: '/api/v1/cards' })).body).toMatchObject({ code: 'scope_missing' });
  });
});

describe('GET /cards/{id}', () => {
  it('returns the card', async () => {
    const found = view();
    api.views.cards = [found];
    expect(await api.as(reader, { url: `/api/v1/cards/${found.id}` })).toMatchObject({ status: 200, body: found });
    expect(api.views.queries).toEqual([{ owner: { companyId, environment: 'sandbox' } }]);
  });

  it.each([randomId(), 'unknown'])('returns 404 for %s', async (id) => {
    expect(await api.as(reader, { url: `/api/v1/cards/${id}` })).toMatchObject({ status: 404 });
  });
});

describe.each([
  ['freeze', 'FreezeCard', 'frozen'],
  ['unfreeze', 'UnfreezeCard', 'active'],
  ['close', 'CloseCard', 'closed'],
] as const)('POST /cards/{id}/%s', (verb, type, status) => {
  const cardId = randomId();
  const { id: _id, ...facts } = view({ status });
  const changed: CardAnswer = { cardId, ...facts };
  const endpoint = `POST /api/v1/cards/:id/${verb} {"id":"${cardId}"}`;
  const requestId = deterministicId(companyId, 'sandbox', endpoint, 'one');
  const change = (headers: Record<string, string> = {}, key = writer, id = cardId) =>
    api.as(key, { method: 'POST', url: `/api/v1/cards/${id}/${verb}`, headers });

  it('sends the command and returns the card', async () => {
    api.bus.accept(changed);
    const { status: code, headers, body } = await change({ 'idempotency-key': 'one' });
    expect([code, body]).toEqual([200, { id: cardId, ...facts }]);
    expect(headers).not.toHaveProperty('idempotent-replayed');
    expect(api.bus.last).toMatchObject({
      context: 'operations',
      key: accountId,
      id: requestId,
      command: { type, data: { cardId, accountId, requestId, requestedAt: initialTime } },
    });
  });

  it('marks a repeated response as replayed', async () => {
    api.bus.accept(changed, true);
    const { headers, body } = await change({ 'idempotency-key': 'one' });
    expect([headers['idempotent-replayed'], body['status']]).toEqual(['true', status]);
  });

  it('returns the original response without a command if the card may have forgotten the request', async () => {
    api.views.cards = [view({ ...facts, id: cardId, status: 'closed', balance: '7.00' })];
    api.acceptedRequests.set(requestId, { fingerprint: null, reply: { status, balance: '100.00' } });
    const { status: code, headers, body } = await change({ 'idempotency-key': 'one' });
    expect([code, headers['idempotent-replayed'], body]).toEqual([200, 'true', { id: cardId, ...facts }]);
    expect(api.bus.sent).toEqual([]);
    api.acceptedRequests.clear();
  });

  it('generates a new command id without an Idempotency-Key', async () => {
    api.bus.accept(changed);
    await change();
    await change();
    const [first, second] = api.bus.sent.map(({ command }) => (command.data as { requestId: string }).requestId);
    expect(isUuid(first)).toBe(true);
    expect(second).not.toBe(first);
  });

  it.each([
    ['not_found', 404],
    ['card_not_active', 400],
  ])('maps the refusal %s to %i', async (code, expected) => {
    api.bus.refuse(code, 'The reason.');
    expect(await change()).toMatchObject({ status: expected, body: { code } });
  });

  it('requires cards:write and returns 404 for a malformed id', async () => {
    expect((await change({}, reader)).body).toMatchObject({ code: 'scope_missing' });
    expect((await change({}, writer, 'unknown')).status).toBe(404);
    expect(api.bus.sent).toEqual([]);
  });
});
