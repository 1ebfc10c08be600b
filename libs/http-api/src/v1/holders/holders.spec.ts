import { canonicalJson, deterministicId, isUuid, randomId, sha256 } from '@florin/kernel';
import type { RegisterHolder } from '@florin/operations-domain';
import type { ApiKeyView, OwnedHolderView } from '@florin/read-models';
import { accountId, companyId, OperationsApp } from '../../testing/operations-app';
import { initialTime } from '../../testing/test-app';

const api = new OperationsApp();

beforeAll(() => api.start());
afterAll(() => api.close());
beforeEach(() => {
  api.bus.clear();
  api.bus.accept({ holderId, kind: 'individual', status: 'active', externalId: 'customer-1', createdAt: initialTime });
  api.views.queries.length = 0;
  api.views.vault.unconfirmed.length = 0;
});

const writer: Partial<ApiKeyView> = { scopes: ['holders:write'] };
const ida = { name: 'Ida Example', email: 'ida@example.com', kind: 'individual', externalId: 'customer-1' };
const requestId = deterministicId(companyId, 'sandbox', 'POST /api/v1/holders', 'one');
const holderId = deterministicId('holder', requestId);

const post = (payload: object, headers: Record<string, string> = { 'idempotency-key': 'one' }, key = writer) =>
  api.as(key, { method: 'POST', url: '/api/v1/holders', payload, headers });

describe('POST /holders', () => {
  it('sends a command with sealed personal data', async () => {
    expect(await post(ida)).toMatchObject({
      status: 201,
      body: { id: holderId, ...ida, status: 'active', updatedAt: initialTime },
    });
    const { command, ...envelope } = api.bus.last!;
    expect(envelope).toMatchObject({ context: 'operations', key: accountId, id: requestId });
    expect(command).toEqual({
      type: 'RegisterHolder',
      data: {
        accountId,
        holderId,
        companyId,
        environment: 'sandbox',
        kind: 'individual',
        externalId: 'customer-1',
        status: 'active',
        requestId,
        sealed: expect.stringContaining(`sealed for ${holderId}`) as string,
        fingerprint: sha256(`${holderId} ${canonicalJson(ida)}`),
        createdAt: initialTime,
      },
    });
    const travelling = JSON.stringify(api.bus.last);
    for (const secret of ['Ida', 'ida@example.com']) expect(travelling).not.toContain(secret);
  });

  it('seals the metadata, too, and returns it', async () => {
    const metadata = { team: 'blue' };
    expect((await post({ ...ida, metadata })).body).toMatchObject({ metadata });
    const { data } = api.bus.last!.command as RegisterHolder;
    expect(data.sealedMetadata).toContain(`sealed for ${holderId}`);
    expect(JSON.stringify(data)).not.toContain('blue');
  });

  it('registers a live holder as pending', async () => {
    const key: Partial<ApiKeyView> = { ...writer, environment: 'live' };
    expect((await post(ida, {}, key)).body).toMatchObject({ status: 'pending' });
    expect(api.bus.last?.command).toMatchObject({ data: { environment: 'live', status: 'pending' } });
  });

  it('returns the original response for the same key', async () => {
    const createdAt = '2025-12-31T00:00:00.000Z';
    api.bus.accept({ holderId, kind: 'individual', status: 'blocked', externalId: 'customer-1', createdAt }, true);
    const { status, headers, body } = await post(ida);
    expect([status, headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(body).toEqual({ id: holderId, ...ida, status: 'active', updatedAt: createdAt });
  });

  it('creates a new holder for each request without a key', async () => {
    const ids = [(await post(ida, {})).body['id'], (await post(ida, {})).body['id']];
    expect(ids.every(isUuid)).toBe(true);
    expect(new Set(ids).size).toBe(2);
  });

  it.each([
    ['external_id_taken', 409, 'already_exists'],
    ['idempotency_conflict', 409, 'idempotency_conflict'],
  ])('maps the refusal %s to %i', async (refusal, status, code) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await post(ida)).toMatchObject({ status, body: { code, message: 'The reason.' } });
  });

  it('deletes the unconfirmed key of a refused registration', async () => {
    api.bus.refuse('external_id_taken', 'The reason.');
    await post(ida);
    expect(api.views.vault.unconfirmed).toEqual([]);
  });

  it('keeps the key on a conflict, because it belongs to the original request', async () => {
    api.bus.refuse('idempotency_conflict', 'The reason.');
    await post(ida);
    expect(api.views.vault.unconfirmed).toEqual([holderId]);
  });

  it('returns 409 for the key of an erased holder', async () => {
    api.views.vault.destroyed.add(holderId);
    expect(await post(ida)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    expect(api.bus.sent).toEqual([]);
    api.views.vault.destroyed.clear();
  });

  it.each([
    ['name', undefined, 'name is required.'],
    ['name', 'x'.repeat(121), 'name must have at most 120 characters.'],
    ['email', 'ida', 'email must be an e-mail address such as ida@example.com.'],
    ['email', 'ida@localhost', 'email must be an e-mail address such as ida@example.com.'],
    ['email', 'Ida <ida@example.com>', 'email must be an e-mail address such as ida@example.com.'],
    ['email', 'ida@@example.com', 'email must be an e-mail address such as ida@example.com.'],
    ['email', 'ida@example..com', 'email must be an e-mail address such as ida@example.com.'],
    ['email', `${'x'.repeat(243)}@example.com`, 'email must have at most 254 characters.'],
    ['kind', 'club', /^kind must be individual or corporate/],
    ['externalId', '', 'externalId must not be empty.'],
    ['externalId', 'x'.repeat(129), 'externalId must have at most 128 characters.'],
    ['name', '\u200b\u200d', 'name must contain a visible character.'],
    ['name', '\u3164', 'name must contain a visible character.'],
    ['name', 'Ida\u202eelpmaxE', 'name must not contain bidirectional control characters.'],
    ['name', 'Ida\u2066Example', 'name must not contain bidirectional control characters.'],
    ['name', 'Ida\u2028Example', 'name must not contain control characters.'],
    ['externalId', '\u2060', 'externalId must contain a visible character.'],
    ['status', 'active', 'Unknown field status: remove it.'],
  ])('rejects %s: %j', async (field, value, message) => {
    const { body } = await post({ ...ida, [field]: value });
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
    expect(api.bus.sent).toEqual([]);
  });

  it.each(['ida@example.com', "o'hara+cards@mail.example.co.uk", 'ída@exämple.com', 'a@b.cd'])(
    'accepts %s',
    async (email) => {
      expect((await post({ ...ida, email })).status).toBe(201);
    },
  );

  it.each(['می\u200cخواهم', '\u200fדנה', '李', '👩\u200d🚀', 'Ida-Ågot O’Hara'])(
    'accepts the name %j',
    async (name) => {
      expect((await post({ ...ida, name })).status).toBe(201);
    },
  );

  it('returns the externalId as it is stored, in Unicode normalization form C', async () => {
    const sent = 'cafe\u0301';
    api.bus.accept({ holderId, kind: 'individual', status: 'active', externalId: 'caf\u00e9' });
    expect((await post({ ...ida, externalId: sent })).body).toMatchObject({ externalId: 'caf\u00e9' });
    // The fingerprint covers the body as sent, so that requests of earlier releases can be repeated.
    const fingerprint = sha256(`${holderId} ${canonicalJson({ ...ida, externalId: sent })}`);
    expect(api.bus.last?.command).toMatchObject({ data: { fingerprint } });
  });

  it('requires holders:write', async () => {
    expect((await post(ida, {}, { scopes: ['holders:read'] })).body).toMatchObject({ code: 'scope_missing' });
  });
});

describe('GET /holders', () => {
  const reader: Partial<ApiKeyView> = { scopes: ['holders:read'] };
  const list = (query = '') => api.as(reader, { url: `/api/v1/holders${query}` });
  const view = (): OwnedHolderView => ({
    id: randomId(),
    name: 'Ida Example',
    email: 'ida@example.com',
    kind: 'individual',
    status: 'active',
    externalId: 'customer-1',
    metadata: { team: 'blue' },
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
    companyId,
    environment: 'sandbox',
  });

  it('returns only the documented fields', async () => {
    const found = view();
    api.views.holders = [found];
    const { companyId: _, environment: __, createdAt: ___, ...body } = found;
    expect((await list()).body).toEqual({ data: [body] });
  });

  it('returns one of them by its id', async () => {
    const found = view();
    api.views.holders = [found];
    const { companyId: _, environment: __, createdAt: ___, ...body } = found;
    const { id } = body;
    const read = (path: string, key = reader) => api.as(key, { url: `/api/v1/holders/${path}` });
    expect(await read(id)).toMatchObject({ status: 200, body });
    expect(api.views.queries).toEqual([{ owner: { companyId, environment: 'sandbox' } }]);
    for (const unknown of [randomId(), 'unknown']) {
      expect(await read(unknown)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await read(id, writer)).body).toMatchObject({ code: 'scope_missing' });
  });

  it('returns pages if a limit is sent, and applies every filter', async () => {
    api.views.holders = [view(), view()];
    const query = 'kind=individual&status=active&externalId=customer-1&metadata[team]=blue';
    const { body } = await list(`?limit=1&${query}`);
    await list(`?${query}&cursor=${String(body['nextCursor'])}`);
    const { id, createdAt } = api.views.holders[0]!;
    const filter = { kind: 'individual', status: 'active', externalId: 'customer-1', metadata: { team: 'blue' } };
    expect(api.views.queries.at(-1)).toMatchObject({ filter, page: { after: { id, createdAt } } });
  });

  it.each(['kind=club', 'status=lost', 'email=ida@example.com'])('rejects %s', async (query) => {
    expect(await list(`?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });
});

describe('PATCH /holders/{id}', () => {
  const known: OwnedHolderView = {
    ...{ id: holderId, name: 'Ida Example', email: 'ida@example.com', kind: 'individual', status: 'active' },
    ...{ externalId: 'customer-1', createdAt: initialTime, updatedAt: initialTime, companyId, environment: 'sandbox' },
  };
  beforeEach(() => {
    api.views.holders = [known];
  });
  const patch = (payload: object, id = holderId, key = writer) =>
    api.as(key, { method: 'PATCH', url: `/api/v1/holders/${id}`, payload });

  it('sends each changed field sealed separately, and returns the holder', async () => {
    const metadata = { team: 'green' };
    const { status, body } = await patch({ name: 'Ada', email: 'ada@example.com', status: 'blocked', metadata });
    expect([status, body]).toMatchObject([200, { id: holderId, externalId: 'customer-1', updatedAt: initialTime }]);
    const { command, id: requestId, key } = api.bus.last!;
    expect(key).toBe(accountId);
    const sealed = expect.stringContaining(`sealed for ${holderId}`) as string;
    expect(command).toEqual({
      type: 'ChangeHolder',
      data: {
        ...{ accountId, holderId, requestId, requestedAt: initialTime, status: 'blocked' },
        ...{ sealedName: sealed, sealedEmail: sealed, sealedMetadata: sealed },
      },
    });
    const travelling = JSON.stringify(api.bus.last);
    for (const secret of ['Ada', 'ada@example.com', 'green']) expect(travelling).not.toContain(secret);
  });

  it('sends only the given fields', async () => {
    await patch({ email: 'ada@example.com' });
    const { data } = api.bus.last!.command as { data: object };
    expect(Object.keys(data).sort()).toEqual(['accountId', 'holderId', 'requestId', 'requestedAt', 'sealedEmail']);
  });

  it.each([
    ['holder_unknown', 404, 'not_found'],
    ['holder_erased', 400, 'validation_failed'],
    ['status_not_allowed', 400, 'validation_failed'],
  ])('maps the refusal %s to %i', async (refusal, status, code) => {
    api.bus.refuse(refusal, 'The reason.');
    expect(await patch({ status: 'active' })).toMatchObject({ status, body: { code, message: 'The reason.' } });
  });

  it('rejects a change of an erased holder', async () => {
    api.views.vault.destroyed.add(holderId);
    expect(await patch({ name: 'Ada' })).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(api.bus.sent).toEqual([]);
    api.views.vault.destroyed.clear();
  });

  it.each([
    [{}, 'Send at least one field to change.'],
    [{ name: 'Ada', kind: 'corporate' }, 'Unknown field kind: remove it.'],
    [{ name: 'Ada', externalId: 'x' }, 'Unknown field externalId: remove it.'],
    [{ status: 'lost' }, /status must be/],
    [{ name: '' }, 'name must not be empty.'],
    [{ email: 'ida' }, /must be an e-mail address/],
  ])('rejects %j', async (payload, message) => {
    const { body } = await patch(payload);
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body['message']).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message);
  });

  it('finds no unknown holder, and requires holders:write', async () => {
    expect(await patch({ name: 'Ada' }, randomId())).toMatchObject({ status: 404 });
    expect((await patch({ name: 'Ada' }, holderId, { scopes: ['holders:read'] })).body).toMatchObject({
      code: 'scope_missing',
    });
    expect(api.bus.sent).toEqual([]);
  });
});
