import { createPool, POOL } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { EVENT_STORE, Progress, READ_YOUR_WRITES, ReadYourWrites } from '@florin/event-sourcing';
import { HOLDER_VAULT } from '@florin/operations-domain';
import { type ReadConnection, ReadDatabase, type Reader, RevealLinks } from '@florin/read-models';
import { until } from '@florin/kernel/testing';
import type { InjectionToken } from '@nestjs/common';
import { listen, startTestApp, type TestApp } from './testing/test-app';
import { TestVault } from './testing/test-views';
import { OperationsApiModule } from './v1/operations-api.module';

const count = 950;
/** Enough for one complete list, and one request more. */
const rate = 20;
const maxWaiting = 8;
const companyId = 'c0ffee00-0000-4000-8000-000000000001';

const history = `
  INSERT INTO read_models.cards
      (id, company_id, environment, holder_id, product_id, name, last4, created_at, status, balance, available,
        updated_at, revision)
    SELECT gen_random_uuid(), '${companyId}', 'sandbox', gen_random_uuid(), 'virtual-usd', 'Travel', '4242',
      timestamptz '2026-01-01' + (n / 2) * interval '1 second', 'active', n, n, now(), 1
    FROM generate_series(1, ${count}) AS n;
  INSERT INTO read_models.holders
      (id, company_id, environment, kind, external_id, name, email, created_at, updated_at, status, revision)
    SELECT gen_random_uuid(), '${companyId}', 'sandbox', 'individual', 'e' || n, 'Ida', 'ida@example.com',
      timestamptz '2026-01-01' + (n / 2) * interval '1 second', now(), 'active', 1
    FROM generate_series(1, ${count}) AS n;`;

interface Listed {
  readonly data: readonly { readonly id: string; readonly createdAt?: string }[];
  readonly nextCursor?: string;
}

let database: TestDatabase;
let reads: ReadDatabase;
let test: TestApp;

/** The statements that were sent, with the number of rows of each result. */
const results: number[] = [];

class ObservedDatabase extends ReadDatabase {
  override async read<Result>(
    reader: Reader,
    task: (connection: ReadConnection) => Promise<Result>,
    options?: { readonly continued?: boolean },
  ): Promise<Result> {
    const rows = await super.read(reader, task, options);
    results.push((rows as readonly unknown[]).length);
    return rows;
  }
}

beforeAll(async () => {
  database = await createTestDatabase();
  const pool = createPool(database.connection);
  await pool.query(history);
  await pool.end();
  reads = new ObservedDatabase(database.connection, { maxWaiting });
  const head = async (): Promise<bigint> => 0n;
  const readYourWrites = new ReadYourWrites({
    store: { head },
    checkpoints: { position: head },
    progress: new Progress(),
  });
  const standIns = new Map<InjectionToken, unknown>([
    [ReadDatabase, reads],
    [POOL, undefined],
    [EVENT_STORE, {}],
    [READ_YOUR_WRITES, readYourWrites],
    [HOLDER_VAULT, new TestVault()],
    [RevealLinks, {}],
  ]);
  const options = { rateLimits: { live: rate, sandbox: rate } };
  test = await startTestApp({ modules: [OperationsApiModule], standIns, options });
});

afterAll(async () => {
  await test.app.close();
  await reads.close();
  await database.drop();
});

beforeEach(() => {
  results.length = 0;
  // The bucket is full again.
  test.clock.advance(60_000);
});

const get = (url: string) => {
  const key = test.keys.add({ scopes: ['cards:read', 'holders:read'] });
  return test.app.inject({ url, headers: { authorization: `Bearer ${key}` } });
};

describe.each(['/api/v1/cards', '/api/v1/holders'])('GET %s without a limit', (path) => {
  it('returns everything in order, and reads it in parts', async () => {
    const response = await get(path);
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const { data, nextCursor } = response.json<Listed>();
    expect(nextCursor).toBeUndefined();
    expect(new Set(data.map(({ id }) => id)).size).toBe(count);
    const positions = data.map(({ createdAt = '', id }) => `${createdAt} ${id}`);
    if (path.includes('cards')) expect(positions).toEqual([...positions].sort().reverse());
    expect(results).toEqual([...Array.from({ length: 9 }, () => 100), 50]);
  });

  it('costs one token for every 50 rows', async () => {
    expect((await get(path)).headers['ratelimit']).toBe('"default";r=19;t=1');
    expect((await get(`${path}?limit=50`)).headers['ratelimit']).toBe('"default";r=0;t=1');
    expect((await get(`${path}?limit=50`)).statusCode).toBe(429);
  });

  it('continues when the rows before are paid', async () => {
    for (let requests = 0; requests < 11; requests++) await get(`${path}?limit=1`);
    results.length = 0;
    const list = get(path);
    // Nine tokens are left: one for the request, and two for every part of 100 rows. The last part leads to a debt.
    await until(() => sum(results) >= 500);
    expect(sum(results)).toBe(500);
    test.clock.advance(1_000);
    expect((await list).json<Listed>().data).toHaveLength(count);
  });
});

describe('A page', () => {
  it.each([
    [1, 19],
    [50, 19],
    [51, 18],
    [100, 18],
  ])(`of %s rows leaves %s of ${rate} tokens`, async (limit, left) => {
    await get(`/api/v1/cards?limit=${limit}`);
    // This request costs one, too.
    expect((await get('/api/v1/cards?limit=1')).headers['ratelimit']).toBe(`"default";r=${left - 1};t=1`);
  });
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Occupies all connections that the company may use, until the returned function is called. */
function occupy(): () => Promise<void> {
  const ends: (() => void)[] = [];
  const held = Array.from({ length: 3 }, () =>
    reads.read({ companyId }, () => new Promise<readonly never[]>((resolve) => ends.push(() => resolve([])))),
  );
  return async () => {
    for (const end of ends) end();
    await Promise.all(held);
  };
}

async function waitingBecomes(expected: number): Promise<void> {
  while (reads.statistics.waiting !== expected) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('A read that waits for a connection', () => {
  it('is rejected if too many of the company wait', async () => {
    const release = occupy();
    const waiting = Array.from({ length: maxWaiting }, () => get('/api/v1/cards?limit=1'));
    await waitingBecomes(maxWaiting);
    const rejected = await get('/api/v1/cards?limit=1');
    expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([503, '1']);
    expect(rejected.json()).toMatchObject({ code: 'unavailable', message: expect.stringContaining('fewer requests') });
    await release();
    for (const response of await Promise.all(waiting)) expect(response.statusCode).toBe(200);
  });

  it('loses its place if the client disconnects', async () => {
    const url = await listen(test.app);
    const authorization = `Bearer ${test.keys.add({ scopes: ['cards:read', 'holders:read'] })}`;
    const release = occupy();
    const client = new AbortController();
    const paths = ['cards', 'holders', 'cards?limit=1', `cards/${companyId}`];
    const requests = paths.map((path) =>
      fetch(`${url}/api/v1/${path}`, { headers: { authorization }, signal: client.signal }),
    );
    await waitingBecomes(paths.length);
    const logged = test.log.at('warn').length;
    client.abort();
    for (const request of requests) await expect(request).rejects.toThrow(/abort/);
    await waitingBecomes(0);
    expect(reads.statistics.inUse).toBe(3);
    expect(test.log.at('warn')).toHaveLength(logged);
    await release();
  });
});
