import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { ReadYourWrites, type Position, Progress, StaleReadModel } from '@florin/event-sourcing';
import type { Pool } from 'pg';
import { ReadDatabase } from '../read-database';
import { ApiKeyUsage } from './api-key-usage';
import { companiesProjection } from './companies.projection';
import { CompanyQueries } from './companies.queries';
import { acme, acmeKey, expiresAt, history, ida, idaKey, record, recordedAt } from './testing/history';

let database: TestDatabase;
let pool: Pool;
let reads: ReadDatabase;
let queries: CompanyQueries;

/** The log ends at 12; the test sets the position of the read model. */
const readYourWritesAt = (reached: Position): ReadYourWrites =>
  new ReadYourWrites({
    store: { head: async () => 12n },
    checkpoints: { position: async () => reached },
    progress: new Progress(),
    timeoutMs: 20,
  });

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  reads = new ReadDatabase(database.connection);
  queries = new CompanyQueries(reads, readYourWritesAt(12n), pool);
  const tx = await pool.connect();
  await companiesProjection.project(record(history), tx);
  tx.release();
});

afterAll(async () => {
  await reads.close();
  await pool.end();
  await database.drop();
});

const acmeView = {
  companyId: acme,
  name: 'Acme "Ünited", Inc.',
  kind: 'corporate',
  verification: 'approved',
  activations: ['direct_invoices'],
  createdAt: recordedAt,
};
const idaDetails = {
  keyId: idaKey,
  companyId: ida,
  environment: 'live',
  name: 'Checkout',
  scopes: ['cards:read', 'balance:read'],
  hint: 'ida-1',
  issuedAt: recordedAt,
  expiresAt,
  revokedAt: '2026-04-01T00:00:00.000Z',
  lastUsedAt: null,
};

describe('CompanyQueries', () => {
  it('lists the companies', async () => {
    const list = await queries.list();
    expect(list).toHaveLength(2);
    expect(list[0]).toEqual(acmeView);
    expect(list[1]).toMatchObject({ companyId: ida, verification: 'rejected', activations: [] });
  });

  it('lists companies and keys in pages', async () => {
    const [first, second] = await queries.list();
    expect(await queries.list({ limit: 1 })).toEqual([first]);
    const afterFirst = { createdAt: first!.createdAt, id: first!.companyId };
    expect(await queries.list({ limit: 1, after: afterFirst })).toEqual([second]);
    expect(await queries.list({ after: { createdAt: second!.createdAt, id: second!.companyId } })).toEqual([]);
    const [key] = await queries.keysOf(ida, { limit: 1 });
    expect(key).toEqual(idaDetails);
    expect(await queries.keysOf(ida, { after: { createdAt: key!.issuedAt, id: key!.keyId } })).toEqual([]);
  });

  it('finds a company by its id', async () => {
    expect(await queries.find(acme)).toEqual(acmeView);
    expect(await queries.find(acmeKey)).toBeUndefined();
  });

  it('finds a key, and the keys of a company', async () => {
    expect(await queries.findKey(idaKey)).toEqual(idaDetails);
    expect(await queries.keysOf(ida)).toEqual([idaDetails]);
    expect(await queries.findKey(ida)).toBeUndefined();
    expect(await queries.keysOf(acmeKey)).toEqual([]);
  });

  it('finds nothing under an invalid id', async () => {
    for (const id of ['', 'nobody', `${acme} `, '\0']) {
      expect(await queries.find(id)).toBeUndefined();
      expect(await queries.findKey(id)).toBeUndefined();
      expect(await queries.keysOf(id)).toEqual([]);
    }
  });

  it('shows when a key was last used', async () => {
    const usage = new ApiKeyUsage(pool, {
      onError: (error) => {
        throw error;
      },
    });
    usage.record(acmeKey, new Date('2026-02-01T12:00:00.000Z'));
    await usage.close();
    expect(await queries.findKey(acmeKey)).toMatchObject({ hint: 'acme-3', lastUsedAt: '2026-02-01T12:00:00.000Z' });
  });

  it('finds the keys of secrets, with the data to authorize a request', async () => {
    const found = await queries.findBySecretHashes(['acme-2', 'nothing', 'ida-1']);
    expect(new Set(found.keys())).toEqual(new Set(['acme-2', 'ida-1']));
    expect(found.get('acme-2')).toEqual({
      keyId: acmeKey,
      companyId: acme,
      companyName: acmeView.name,
      companyKind: 'corporate',
      verification: 'approved',
      activations: ['direct_invoices'],
      environment: 'live',
      scopes: ['cards:read', 'balance:read'],
      name: 'Checkout',
      expiresAt,
      secretValidUntil: '2026-03-03T00:00:00.000Z',
      revokedAt: null,
      isOutdated: false,
    });
    expect(found.get('ida-1')).toMatchObject({
      secretValidUntil: expiresAt,
      revokedAt: '2026-04-01T00:00:00.000Z',
    });
  });

  it.each([
    ['the key', () => `apikey-${acmeKey}`],
    ['its company', () => `company-${acme}`],
  ])('marks a key as outdated while the stream of %s is set aside', async (_, stream) => {
    await pool.query(
      `INSERT INTO event_store.subscriptions (name, shard_count) VALUES ('companies', 1) ON CONFLICT DO NOTHING`,
    );
    const text = `INSERT INTO event_store.set_aside_streams (subscription, stream, position, revision, type, schema_version, reason)
      VALUES ('companies', $1, 1, 0, 'New', 1, '')`;
    await pool.query(text, [stream()]);
    const found = await queries.findBySecretHashes(['acme-2', 'ida-1']);
    await pool.query('DELETE FROM event_store.set_aside_streams');
    expect([found.get('acme-2')?.isOutdated, found.get('ida-1')?.isOutdated]).toEqual([true, false]);
  });

  it('rejects every query while the read model is behind', async () => {
    const stale = new CompanyQueries(reads, readYourWritesAt(11n), pool);
    const pending = [stale.list(), stale.find(acme), stale.findKey(acmeKey), stale.keysOf(acme)];
    // Concurrently, because a rejection without a handler would fail the test.
    for (const result of await Promise.allSettled([...pending, stale.findBySecretHashes(['acme-3'])])) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StaleReadModel) });
    }
  });
});
