import { deterministicId, isUuid, randomId } from '@florin/kernel';
import type { CardAnswer } from '@florin/operations-domain';
import type { ApiKeyView, CardView } from '@florin/read-models';
import { partSize } from '../../pages';
import { accountId, companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';
import { exampleOperation } from '../operations/operation-schemas';

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
  available: '90.00',
  limits: { daily: '500.00' },
  metadata: {},
  productId: 'virtual-usd',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-02T00:00:00.000Z',
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
    await list(`?status=frozen&holderId=${holderId}&productId=virtual-usd&metadata[team]=sales`);
    const filter = { status: 'frozen', holderId, productId: 'virtual-usd', metadata: { team: 'sales' } };
    expect(api.views.queries).toMatchObject([{ filter }]);
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

describe('POST /cards/{id}/close', () => {
  const close = () => api.as(writer, { method: 'POST', url: `/api/v1/cards/${randomId()}/close` });

  it('sends the number of unfinished operations', async () => {
    const operation = { ...exampleOperation, type: 'topup', status: 'queued' } as const;
    api.views.operations = [operation, { ...operation, status: 'completed' }];
    api.bus.accept({ cardId: randomId(), ...view() });
    await close();
    expect(api.bus.last?.command).toMatchObject({ type: 'CloseCard', data: { unfinishedOperations: 1 } });
    api.views.operations = [];
  });

  it('returns 409 for a card that is not empty', async () => {
    api.bus.refuse('card_not_empty', 'The card has a balance.');
    expect(await close()).toMatchObject({ status: 409, body: { code: 'card_not_empty' } });
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
    api.views.cards = [view({ ...facts, id: cardId, status: 'closed', balance: '7.00', updatedAt: initialTime })];
    const { balance, available, updatedAt } = changed;
    const reply = { status, balance, available, updatedAt: updatedAt! };
    api.acceptedRequests.set(requestId, { fingerprint: null, reply });
    const { status: code, headers, body } = await change({ 'idempotency-key': 'one' });
    expect([code, headers['idempotent-replayed'], body]).toEqual([200, 'true', { id: cardId, ...facts }]);
    expect(api.bus.sent).toEqual([]);
    api.acceptedRequests.clear();
  });

  it('returns the balance of the first release as both amounts', async () => {
    api.views.cards = [view({ ...facts, id: cardId, status: 'closed', balance: '7.00' })];
    api.acceptedRequests.set(requestId, { fingerprint: null, reply: { status, balance: '90.00' } });
    const { body } = await change({ 'idempotency-key': 'one' });
    expect(body).toEqual({ id: cardId, ...facts, balance: '90.00', available: '90.00' });
    api.acceptedRequests.clear();
  });

  it('returns the time of the request as that of the change', async () => {
    const { updatedAt: _, ...withoutTime } = changed;
    api.bus.accept(withoutTime);
    expect((await change()).body).toMatchObject({ updatedAt: initialTime });
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

describe('PATCH /cards/{id}', () => {
  const cardId = randomId();
  const { id: _id, ...facts } = view();
  const patch = (payload: object, key = writer) =>
    api.as(key, { method: 'PATCH', url: `/api/v1/cards/${cardId}`, payload });

  it('sends the changes and returns the card', async () => {
    api.bus.accept({ cardId, ...facts });
    const changes = {
      name: 'Team',
      limits: {
        ...{ perTransaction: '10', daily: null, merchantCategories: { allow: ['5814'] }, countries: { deny: ['US'] } },
      },
      metadata: { team: 'sales' },
    };
    const { status, body } = await patch(changes);
    expect([status, body]).toEqual([200, { id: cardId, ...facts }]);
    const { limits } = changes;
    expect(api.bus.last?.command).toMatchObject({
      type: 'ChangeCard',
      data: { cardId, accountId, requestedAt: initialTime, ...changes, limits: { ...limits, perTransaction: '10.00' } },
    });
  });

  it.each([
    [{}, 'name, limits or metadata must be sent.'],
    [{ name: 'Team', status: 'closed' }, 'Unknown field status: remove it.'],
    [{ limits: { weekly: '1' } }, 'Unknown field limits.weekly: remove it.'],
    [{ limits: { daily: 5 } }, /^limits.daily must be a decimal string/],
    [{ limits: { countries: { allow: ['NL'], deny: ['US'] } } }, 'limits.countries must have either allow or deny.'],
    [{ limits: { countries: {} } }, 'limits.countries must have either allow or deny.'],
    [{ limits: { countries: { allow: [] } } }, 'limits.countries.allow must not be empty.'],
    [{ limits: { merchantCategories: { deny: ['58'] } } }, /^limits.merchantCategories.deny.0. must be a merchant/],
    [{ metadata: { a: 1 } }, /^metadata.a must be a string/],
    [{ name: '' }, 'name must not be empty.'],
  ])('rejects %j', async (changes, message) => {
    const { body } = await patch(changes);
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
  });

  it('requires cards:write', async () => {
    expect((await patch({ name: 'Team' }, reader)).body).toMatchObject({ code: 'scope_missing' });
  });
});

describe('POST /sandbox/cards/{id}/status', () => {
  const cardId = randomId();
  const { id: _id, ...facts } = view({ status: 'blocked' });
  const post = (payload: object, key = writer) =>
    api.as(key, { method: 'POST', url: `/api/v1/sandbox/cards/${cardId}/status`, payload });

  it('reports the status as the issuer would', async () => {
    api.bus.accept({ cardId, ...facts });
    expect(await post({ status: 'blocked' })).toMatchObject({ status: 200, body: { id: cardId, status: 'blocked' } });
    const data = { cardId, accountId, status: 'blocked', requestedAt: initialTime };
    expect(api.bus.last?.command).toMatchObject({ type: 'ReportCardStatus', data });
  });

  it('rejects other statuses and live keys', async () => {
    for (const status of ['closed', 'frozen', 'pending', 'lost']) {
      expect((await post({ status })).body).toMatchObject({ code: 'validation_failed' });
    }
    const live = await post({ status: 'blocked' }, { ...writer, environment: 'live' });
    expect(live.body).toMatchObject({ code: 'sandbox_only' });
  });
});

describe('POST /operator/v1/cards/{id}/status', () => {
  const cardId = randomId();
  const owner = { cardId, companyId, environment: 'live', accountId: `${companyId}-live` } as const;
  const post = (payload: object) =>
    api.asOperator({ method: 'POST', url: `/operator/v1/cards/${cardId}/status`, payload });

  it('blocks and unblocks the card of any company', async () => {
    api.views.owners = [owner];
    const { id: _id, ...facts } = view({ status: 'blocked' });
    api.bus.accept({ cardId, ...facts });
    const { status, body } = await post({ status: 'blocked' });
    expect([status, body]).toMatchObject([200, { id: cardId, status: 'blocked', companyId, environment: 'live' }]);
    const data = { cardId, accountId: owner.accountId, status: 'blocked' };
    expect(api.bus.last).toMatchObject({ key: owner.accountId, command: { type: 'ReportCardStatus', data } });
    expect(await post({ status: 'expired' })).toMatchObject({ status: 400 });
    api.views.owners = [];
    expect(await post({ status: 'active' })).toMatchObject({ status: 404 });
  });
});
