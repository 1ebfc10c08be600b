import { randomUUID } from 'node:crypto';
import { type Account, codeOf, expectBody } from './harness/account';
import { EventLog } from './harness/event-log';
import { Operator } from './harness/operator';
import { sharedFlorin } from './harness/florin';
import type { RunningFlorin } from './harness/running-florin';
import { issue, topup } from './harness/orders';

const nowhere = '00000000-0000-4000-8000-000000000000';

interface Holder {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly kind: string;
  readonly status: string;
  readonly externalId: string;
}

describe('cardholders', () => {
  let florin: RunningFlorin;
  let operator: Operator;
  let account: Account;
  let log: EventLog;

  beforeAll(async () => {
    florin = await sharedFlorin();
    operator = new Operator(florin);
    account = await operator.newAccount('1000.00');
    log = new EventLog(florin);
  });

  afterAll(() => log.close());

  const person = (fields: object = {}) => ({
    name: 'Wilhelmina Unmistakable',
    email: 'wilhelmina@unmistakable.example',
    kind: 'individual',
    externalId: randomUUID(),
    ...fields,
  });
  const register = (body: object, headers?: Record<string, string>) => account.post('/api/v1/holders', body, headers);
  const registered = async (fields?: object) => expectBody<Holder>(await register(person(fields)), 201);
  const find = async (id: string) =>
    (await account.list<Holder>('/api/v1/holders')).data.find((holder) => holder.id === id);

  it('are active in the sandbox and pending in live', async () => {
    const body = person();
    const holder = expectBody<Holder>(await register(body), 201);
    expect(holder).toEqual({ id: expect.any(String), ...body, status: 'active', updatedAt: expect.any(String) });
    expect(await find(holder.id)).toEqual(holder);
    const live = await operator.newKey(await operator.newCompany(), 'live');
    expect((await live.post('/api/v1/holders', person())).body).toMatchObject({ status: 'pending' });
  });

  it('have an external id that is unique per company and environment', async () => {
    const companyId = await operator.newCompany();
    const [mine, mineLive] = [await operator.newKey(companyId), await operator.newKey(companyId, 'live')];
    const externalId = 'customer-4711';
    expect((await mine.post('/api/v1/holders', person({ externalId }))).status).toBe(201);
    expect(codeOf(await mine.post('/api/v1/holders', person({ externalId, name: 'Other' })))).toEqual([
      409,
      'already_exists',
    ]);
    expect((await mineLive.post('/api/v1/holders', person({ externalId }))).status).toBe(201);
    expect((await account.post('/api/v1/holders', person({ externalId }))).status).toBe(201);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => mine.post('/api/v1/holders', person({ externalId: 'contended' }))),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await mine.list('/api/v1/holders')).data).toHaveLength(2);
  });

  it('are read and changed field by field, also at the same time', async () => {
    const { id } = expectBody<Holder>(await register({ ...person(), metadata: { team: 'blue' } }), 201);
    const path = `/api/v1/holders/${id}`;
    const changes = [
      { name: 'Wilhelmina Renamed' },
      { email: 'new@unmistakable.example' },
      { metadata: { team: 'unmistakable-green' } },
    ];
    const responses = await Promise.all(changes.map((change) => account.send('PATCH', path, { body: change })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    const changed = expectBody<Holder>(await account.get(path), 200);
    expect(changed).toMatchObject({
      name: 'Wilhelmina Renamed',
      email: 'new@unmistakable.example',
      metadata: { team: 'unmistakable-green' },
    });
    expect((await account.list('/api/v1/holders?metadata[team]=unmistakable-green')).data).toEqual([changed]);
    expect((await account.list('/api/v1/holders?metadata[team]=blue')).data).toEqual([]);
    expectBody(await account.send('PATCH', path, { body: { status: 'blocked' } }), 200);
    expect(codeOf(await account.operate(issue(id)))).toEqual([400, 'holder_not_active']);
  });

  it('are created once per idempotency key', async () => {
    const [body, headers] = [person(), { 'Idempotency-Key': randomUUID() }];
    const responses = await Promise.all(Array.from({ length: 10 }, () => register(body, headers)));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter((response) => response.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(codeOf(await register({ ...body, name: 'Other' }, headers))).toEqual([409, 'idempotency_conflict']);
    expect((await account.list(`/api/v1/holders?externalId=${body.externalId}`)).data).toHaveLength(1);
    // The key of a rejected request can be reused.
    const free = { 'Idempotency-Key': randomUUID() };
    expect((await register({ ...body, kind: 'robot' }, free)).status).toBe(400);
    expect((await register(person(), free)).status).toBe(201);
  });

  it.each<readonly [string, object]>([
    ['no name', { name: undefined }],
    ['an empty name', { name: ' ' }],
    ['no e-mail', { email: undefined }],
    ['no address', { email: 'wilhelmina' }],
    ['another kind', { kind: 'robot' }],
    ['no external id', { externalId: undefined }],
    ['a status', { status: 'active' }],
    ['text with a NUL character', { externalId: 'a\u0000b' }],
  ])('are rejected with %s, and the response does not contain personal data', async (_, fields) => {
    const response = await register(person(fields));
    expect(codeOf(response)).toEqual([400, 'validation_failed']);
    expect(response.text.toLowerCase()).not.toContain('wilhelmina');
  });

  it('are listed with filters', async () => {
    const mine = await operator.newAccount();
    const add = async (fields: object) =>
      expectBody<Holder>(await mine.post('/api/v1/holders', person(fields)), 201).id;
    const [one, two] = [await add({ externalId: 'one' }), await add({ externalId: 'two', kind: 'corporate' })];
    expectBody(await operator.post(`/operator/v1/holders/${two}/status`, { status: 'blocked' }), 200);
    const ids = async (query: string) =>
      (await mine.list<Holder>(`/api/v1/holders${query}`)).data.map(({ id }) => id).sort();
    expect(await ids('')).toEqual([one, two].sort());
    expect(await ids('?kind=corporate')).toEqual([two]);
    expect(await ids('?status=active')).toEqual([one]);
    expect(await ids('?externalId=one')).toEqual([one]);
    expect(await ids('?externalId=one&kind=corporate')).toEqual([]);
    for (const query of [
      '?name=x',
      '?kind=robot',
      '?status=gone',
      '?externalId=',
      '?limit=x',
      '?kind=individual&kind=x',
    ]) {
      expect(codeOf(await mine.get(`/api/v1/holders${query}`))).toEqual([400, 'validation_failed']);
    }
  });

  it('get a card only while active, and only operators change their status', async () => {
    const { id } = await registered();
    for (const status of ['pending', 'blocked', 'inactive'] as const) {
      const response = await operator.post(`/operator/v1/holders/${id}/status`, { status });
      expect([response.status, response.body['status']]).toEqual([200, status]);
      expect(codeOf(await account.operate(issue(id)))).toEqual([400, 'holder_not_active']);
    }
    await operator.post(`/operator/v1/holders/${id}/status`, { status: 'active' });
    expect((await account.outcomeOf(issue(id))).status).toBe('completed');
    expect(codeOf(await operator.post(`/operator/v1/holders/${id}/status`, { status: 'gone' }))).toEqual([
      400,
      'validation_failed',
    ]);
    expect(codeOf(await account.post(`/operator/v1/holders/${id}/status`, { status: 'active' }))).toEqual([
      401,
      'invalid_key',
    ]);
    for (const verb of ['status', 'erase']) {
      const body = verb === 'status' ? { status: 'active' } : undefined;
      expect(codeOf(await operator.post(`/operator/v1/holders/${nowhere}/${verb}`, body))).toEqual([404, 'not_found']);
    }
  });

  it('are encrypted in the event log and absent from the process log', async () => {
    const holder = await registered();
    await account.newCard(holder.id, '10');
    expect(await find(holder.id)).toMatchObject({ name: 'Wilhelmina Unmistakable' });
    const events = await log.events();
    expect(events.length).toBeGreaterThan(20);
    const sealed = events.filter(({ type, data }) => type === 'HolderRegistered' && data.includes('"sealed":'));
    // Those of the demo data and this one.
    expect(sealed.length).toBeGreaterThan(8);
    const names = /wilhelmina|unmistakable|edith@|@example\.com|Edith Example|Ada Example/i;
    expect(events.filter(({ stream, data, metadata }) => names.test(stream + data + metadata))).toEqual([]);
    // An encoding is no encryption.
    for (const encoding of ['base64', 'hex'] as const) {
      const encoded = Buffer.from('Wilhelmina').toString(encoding).slice(0, 12);
      expect(events.filter(({ data }) => data.includes(encoded))).toEqual([]);
    }
    expect(florin.log).not.toMatch(/wilhelmina|unmistakable/i);
  });

  it('are erased individually with their encryption key', async () => {
    const [erased, other] = [await registered(), await registered({ name: 'Wilhelmina the Second' })];
    const headers = { 'Idempotency-Key': randomUUID() };
    const [cardId, body] = [await account.newCard(erased.id, '50'), person()];
    const keyed = expectBody<Holder>(await register(body, headers), 201);
    const left = { id: erased.id, name: '[erased]', email: '[erased]', kind: 'individual', status: 'inactive' };
    for (let time = 1; time <= 2; time++) {
      const response = await operator.post(`/operator/v1/holders/${erased.id}/erase`);
      expect([response.status, response.body]).toMatchObject([200, { ...left, environment: 'sandbox' }]);
    }
    expect(await find(erased.id)).toEqual({
      ...{ ...left, externalId: erased.externalId, updatedAt: expect.any(String) },
    });
    expect(await find(other.id)).toMatchObject({ name: 'Wilhelmina the Second', status: 'active' });

    const keys = await log.query<{ key: Buffer | null; destroyed: boolean }>(
      'SELECT key, destroyed_at IS NOT NULL AS destroyed FROM vault.holder_keys WHERE holder_id = $1',
      erased.id,
    );
    expect(keys).toEqual([{ key: null, destroyed: true }]);
    const stored = await log.query('SELECT name, email FROM read_models.holders WHERE id = $1', erased.id);
    expect(stored).toEqual([{ name: null, email: null }]);

    const certificate = expectBody(await operator.get(`/operator/v1/holders/${erased.id}/erasure`), 200);
    expect(certificate).toMatchObject({
      ...{ holderId: erased.id, environment: 'sandbox', sealedTexts: 1, readableTexts: 0 },
      erasedBy: { kind: 'operator', id: 'bootstrap' },
      event: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      hashChain: { isValid: true },
    });
    expect(codeOf(await operator.get(`/operator/v1/holders/${other.id}/erasure`))).toEqual([404, 'not_found']);

    // An erased holder stays inactive and gets no new card; an existing card still works.
    expect(codeOf(await account.operate(issue(erased.id)))).toEqual([400, 'holder_not_active']);
    expect(codeOf(await operator.post(`/operator/v1/holders/${erased.id}/status`, { status: 'active' }))).toEqual([
      400,
      'validation_failed',
    ]);
    expect((await account.outcomeOf(topup(cardId, '10'))).status).toBe('completed');
    expect(await account.card(cardId)).toMatchObject({ holderId: erased.id, balance: '60.00' });

    // A repeated registration does not restore the personal data.
    expectBody(await operator.post(`/operator/v1/holders/${keyed.id}/erase`), 200);
    expect(codeOf(await register(body, headers))).toEqual([409, 'idempotency_conflict']);
    expect(codeOf(await account.post(`/operator/v1/holders/${other.id}/erase`))).toEqual([401, 'invalid_key']);
  });
});
