import { InProcessCommandBus } from '@florin/command-bus-in-process';
import { PostgresCheckpointStore } from '@florin/checkpoint-store-postgres';
import { CompaniesModule } from '@florin/companies-application';
import { createPool, POOL } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import {
  CLOCK,
  COMMAND_BUS,
  EVENT_STORE,
  ReadYourWrites,
  READ_YOUR_WRITES,
  Progress,
  runProjection,
  SNAPSHOT_STORE,
} from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import { isUuid, randomId } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { ApiKeyUsage, companiesProjection, ReadDatabase } from '@florin/read-models';
import { Controller, Global, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Endpoint, type Input } from '../../endpoint';
import { createFastifyAdapter } from '../../fastify-adapter';
import { HttpApiModule } from '../../http-api.module';
import { installHttp } from '../../install-http';
import { operatorToken, initialTime, TestLog } from '../../testing/test-app';

const clock = manualClock(initialTime);
const hour = 60 * 60 * 1_000;

@Controller()
class WhoAmIController {
  @Endpoint({
    method: 'GET',
    path: '/api/v1/who-am-i',
    operationId: 'callers.get',
    tag: 'Test',
    summary: 'Show the caller',
    scope: 'balance:read',
    capability: 'services',
    response: { status: 200, description: 'The caller.' },
  })
  async tell({ caller }: Input): Promise<object> {
    return caller;
  }
}

let app: NestFastifyApplication;
let database: TestDatabase;
const cleanUp: (() => Promise<unknown>)[] = [];

/** Uses the real bus, projection and Postgres read model. Only the events stay in memory. */
beforeAll(async () => {
  database = await createTestDatabase();
  const pool = createPool(database.connection);
  const reads = new ReadDatabase(database.connection);
  const store = new InMemoryEventStore();
  const checkpoints = new PostgresCheckpointStore(database.connection);
  const progress = new Progress();
  const bus = new InProcessCommandBus({ onFailedSend: () => undefined });
  const failures: unknown[] = [];
  const usage = new ApiKeyUsage(pool, { onError: (error) => failures.push(error) });
  const log = new TestLog();
  const isTransient = (): boolean => false;
  const projection = runProjection(companiesProjection, { store, checkpoints, progress, log, isTransient });
  const platform = [
    { provide: EVENT_STORE, useValue: store },
    { provide: SNAPSHOT_STORE, useValue: new InMemorySnapshotStore() },
    { provide: COMMAND_BUS, useValue: bus },
    { provide: CLOCK, useValue: clock },
    { provide: READ_YOUR_WRITES, useValue: new ReadYourWrites({ store, checkpoints, progress }) },
    { provide: POOL, useValue: pool },
    { provide: ReadDatabase, useValue: reads },
    { provide: ApiKeyUsage, useValue: usage },
  ];
  @Global()
  @Module({ providers: platform, exports: platform })
  class TestPlatform {}

  const http = HttpApiModule.forRoot({
    operatorToken,
    cursorSecret: 'secret-of-this-spec',
    rateLimits: { live: 0, sandbox: 0 },
    baseUrl: 'https://florin.example',
    log,
    liveIssuer: false,
    liveChain: false,
    minimums: { issue: '10.00', topup: '10.00' },
    fourEyesAmount: '1000.00',
    webhookAllowLoopback: false,
  });
  const module = Test.createTestingModule({
    imports: [TestPlatform, http, CompaniesModule],
    controllers: [WhoAmIController],
  });
  app = (await module.compile()).createNestApplication<NestFastifyApplication>(createFastifyAdapter(), {
    logger: false,
  });
  installHttp(app);
  app.connectMicroservice({ strategy: bus.transport });
  await app.startAllMicroservices();
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  cleanUp.push(
    () => app.close(),
    () => projection.stop(),
    () => usage.close(),
    () => checkpoints.close(),
    () => reads.close(),
    () => pool.end(),
    () => database.drop(),
    async () => expect([...failures, ...log.at('error'), ...log.at('warn')]).toEqual([]),
  );
});

afterAll(async () => {
  for (const step of cleanUp) await step();
});

interface TestResponse<Body> {
  readonly status: number;
  readonly body: Body;
}

async function send<Body>(method: 'GET' | 'POST', path: string, payload?: object): Promise<TestResponse<Body>> {
  const headers = { authorization: `Bearer ${operatorToken}` };
  const response = await app.inject({ method, url: `/operator/v1${path}`, headers, payload });
  return { status: response.statusCode, body: response.json<Body>() };
}

async function whoAmI(key: string): Promise<TestResponse<{ code?: string; keyId?: string; environment?: string }>> {
  const response = await app.inject({ url: '/api/v1/who-am-i', headers: { authorization: `Bearer ${key}` } });
  return { status: response.statusCode, body: response.json() };
}

interface Company {
  readonly id: string;
}

interface Key {
  readonly id: string;
  readonly key: string;
}

interface KeyDetails {
  readonly id: string;
  readonly expiresAt: string;
}

const register = async (name = 'Acme'): Promise<string> =>
  (await send<Company>('POST', '/companies', { name, kind: 'corporate' })).body.id;

const approved = async (): Promise<string> => {
  const companyId = await register();
  await send('POST', `/companies/${companyId}/verification`, { status: 'approved' });
  return companyId;
};

const keyRequest = { name: 'Checkout', environment: 'sandbox', scopes: ['balance:read'] };

const createKey = async (companyId: string, change: object = {}): Promise<Key> =>
  (await send<Key>('POST', `/companies/${companyId}/keys`, { ...keyRequest, ...change })).body;

describe('Companies', () => {
  it('are registered as pending', async () => {
    const { status, body } = await send<Company>('POST', '/companies', { name: ' Acme ', kind: 'individual' });
    expect(status).toBe(201);
    expect(isUuid(body.id)).toBe(true);
    expect(body).toEqual({
      id: body.id,
      name: 'Acme',
      kind: 'individual',
      verification: 'pending',
      activations: [],
      createdAt: initialTime,
    });
    const { body: list } = await send<{ data: unknown[] }>('GET', '/companies');
    expect(list.data).toContainEqual(body);
  });

  it('are verified and activated', async () => {
    const companyId = await register();
    const verified = await send('POST', `/companies/${companyId}/verification`, { status: 'approved' });
    expect(verified).toMatchObject({ status: 200, body: { id: companyId, verification: 'approved' } });
    const activate = (capability: string, active: boolean) =>
      send(`POST`, `/companies/${companyId}/activations`, { capability, active });
    await activate('services', true);
    expect(await activate('direct_invoices', true)).toMatchObject({ status: 200 });
    expect(await activate('services', false)).toMatchObject({ body: { activations: ['direct_invoices'] } });
  });

  it.each([
    ['/companies', { name: '', kind: 'corporate' }, /^name must not be empty/],
    ['/companies', { name: 'Acme', kind: 'club' }, /^kind must be individual or corporate/],
    [`/companies/${randomId()}/verification`, { status: 'maybe' }, /^status must be pending, /],
    [`/companies/${randomId()}/activations`, { capability: 'services' }, /^active is required/],
    [`/companies/${randomId()}/keys`, { ...keyRequest, scopes: ['cards:eat'] }, /^scopes\[0\] must be balance:read/],
    [`/companies/${randomId()}/keys`, { ...keyRequest, scopes: [] }, /^scopes must contain at least one/],
    [
      `/companies/${randomId()}/keys`,
      { ...keyRequest, expiresAt: '2025-01-01T00:00:00Z' },
      /^expiresAt must be in the future/,
    ],
    [`/keys/${randomId()}/rotate`, { overlapHours: 169 }, /^overlapHours must be from 0 to 168/],
  ])('POST %s rejects %j', async (path, payload, message) => {
    const { body } = await send<{ message: string }>('POST', path, payload);
    expect(body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    expect(body.message).toMatch(message);
  });

  it.each([
    ['POST', `/companies/${randomId()}/verification`, { status: 'approved' }],
    ['POST', `/companies/${randomId()}/activations`, { capability: 'services', active: true }],
    ['POST', `/companies/${randomId()}/keys`, keyRequest],
    ['GET', `/companies/${randomId()}/keys`, undefined],
    ['GET', '/companies/unknown/keys', undefined],
    ['POST', `/keys/${randomId()}/rotate`, { overlapHours: 0 }],
    ['POST', `/keys/${randomId()}/revoke`, undefined],
  ] as const)('%s %s is 404', async (method, path, payload) => {
    expect(await send(method, path, payload)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('API keys', () => {
  it('work immediately after creation, for a year', async () => {
    const companyId = await approved();
    const { id, key } = await createKey(companyId);
    expect(await whoAmI(key)).toMatchObject({ status: 200, body: { companyId, keyId: id, environment: 'sandbox' } });
    const { body } = await send<{ data: KeyDetails[] }>('GET', `/companies/${companyId}/keys`);
    expect(body.data).toEqual([
      {
        id,
        ...keyRequest,
        hint: key.slice(-4),
        expiresAt: new Date(clock.now().getTime() + 365 * 24 * hour).toISOString(),
        revokedAt: null,
        lastUsedAt: null,
        createdBy: { kind: 'operator', id: 'bootstrap' },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(key.slice(8, 40));
  });

  it('work immediately after the company is approved and activated', async () => {
    const companyId = await register();
    const { key } = await createKey(companyId, { environment: 'live' });
    expect(key).toMatch(/^fl_live_/);
    expect(await whoAmI(key)).toMatchObject({ body: { code: 'verification_required' } });
    await send('POST', `/companies/${companyId}/verification`, { status: 'approved' });
    expect(await whoAmI(key)).toMatchObject({ body: { code: 'capability_inactive' } });
    await send('POST', `/companies/${companyId}/activations`, { capability: 'services', active: true });
    expect(await whoAmI(key)).toMatchObject({ status: 200, body: { environment: 'live' } });
    await send('POST', `/companies/${companyId}/verification`, { status: 'rejected' });
    expect(await whoAmI(key)).toMatchObject({ body: { code: 'verification_required' } });
  });

  it('expire at the requested time', async () => {
    const expiresAt = new Date(clock.now().getTime() + hour).toISOString();
    const { key } = await createKey(await approved(), { expiresAt });
    expect((await whoAmI(key)).status).toBe(200);
    clock.advance(hour);
    expect(await whoAmI(key)).toMatchObject({ status: 401, body: { code: 'invalid_key' } });
  });

  it('are rotated: both secrets work for the overlap, then only the new one', async () => {
    const { id, key } = await createKey(await approved());
    const { status, body: rotated } = await send<Key>('POST', `/keys/${id}/rotate`, { overlapHours: 2 });
    expect([status, rotated.id]).toEqual([200, id]);
    expect([(await whoAmI(key)).status, (await whoAmI(rotated.key)).status]).toEqual([200, 200]);
    clock.advance(2 * hour);
    expect([(await whoAmI(key)).status, (await whoAmI(rotated.key)).status]).toEqual([401, 200]);
  });

  it('are rotated without an overlap on request, and with 24 hours by default', async () => {
    const { id, key } = await createKey(await approved());
    const { key: second } = (await send<Key>('POST', `/keys/${id}/rotate`, { overlapHours: 0 })).body;
    expect([(await whoAmI(key)).status, (await whoAmI(second)).status]).toEqual([401, 200]);
    await send('POST', `/keys/${id}/rotate`);
    clock.advance(24 * hour - 1);
    expect((await whoAmI(second)).status).toBe(200);
    clock.advance(1);
    expect((await whoAmI(second)).status).toBe(401);
  });

  it('are revoked permanently, with all of their secrets', async () => {
    const { id, key } = await createKey(await approved());
    const { key: second } = (await send<Key>('POST', `/keys/${id}/rotate`, { overlapHours: 168 })).body;
    expect([(await whoAmI(key)).status, (await whoAmI(second)).status]).toEqual([200, 200]);
    const revokedAt = clock.now().toISOString();
    expect(await send('POST', `/keys/${id}/revoke`)).toEqual({ status: 200, body: { id, revokedAt } });
    expect([(await whoAmI(key)).status, (await whoAmI(second)).status]).toEqual([401, 401]);
    clock.advance(hour);
    expect(await send('POST', `/keys/${id}/revoke`)).toEqual({ status: 200, body: { id, revokedAt } });
    expect(await send('POST', `/keys/${id}/rotate`, {})).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  });
});

describe('A list for operators', () => {
  interface Listed {
    readonly data: readonly { readonly id: string }[];
    readonly nextCursor?: string;
  }

  async function readPages(path: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const query = cursor === undefined ? '' : `&cursor=${cursor}`;
      const { body } = await send<Listed>('GET', `${path}?limit=1${query}`);
      expect(body.data.length).toBeLessThanOrEqual(1);
      ids.push(...body.data.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    return ids;
  }

  it('has pages with the same entries as the complete list', async () => {
    const companyId = await register();
    for (let count = 0; count < 3; count++) await createKey(companyId);
    for (const path of ['/companies', `/companies/${companyId}/keys`]) {
      const { body } = await send<Listed>('GET', path);
      expect(body.nextCursor).toBeUndefined();
      expect(body.data.length).toBeGreaterThanOrEqual(1);
      expect(await readPages(path)).toEqual(body.data.map(({ id }) => id));
    }
  });

  it('does not accept the cursor of another company', async () => {
    const [one, other] = [await register(), await register()];
    for (let count = 0; count < 2; count++) await createKey(one);
    const { body } = await send<Listed>('GET', `/companies/${one}/keys?limit=1`);
    const { status } = await send('GET', `/companies/${other}/keys?limit=1&cursor=${body.nextCursor!}`);
    expect(status).toBe(400);
  });
});
