import { createPool } from '@florin/database';
import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import type { RecordedEvent } from '@florin/event-sourcing';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { companiesProjection } from './companies.projection';
import { acme, acmeKey, expiresAt, history, ida, idaKey, record, recordedAt } from './testing/history';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

beforeEach(() => pool.query('TRUNCATE read_models.companies, read_models.api_keys, read_models.api_key_secrets'));

const project = async (...batches: readonly (readonly RecordedEvent[])[]): Promise<void> => {
  const tx = await pool.connect();
  try {
    for (const batch of batches) {
      await tx.query('BEGIN');
      await companiesProjection.project(batch, tx);
      await tx.query('COMMIT');
    }
  } finally {
    tx.release(true);
  }
};

const rowsOf = async (table: string) =>
  (await pool.query<object>(`SELECT * FROM read_models.${table} ORDER BY 1`)).rows;
const everything = async () => ({
  companies: await rowsOf('companies'),
  keys: await rowsOf('api_keys'),
  secrets: await rowsOf('api_key_secrets'),
});

const events = record(history);
const key = { environment: 'live', name: 'Checkout', scopes: ['cards:read', 'balance:read'] };
const noActors = { created_by: null, rotated_by: null, revoked_by: null };
const times = { issued_at: new Date(recordedAt), expires_at: new Date(expiresAt) };
const company = { created_at: new Date(recordedAt) };
const expected = {
  companies: [
    {
      ...company,
      company_id: acme,
      name: 'Acme "Ünited", Inc.',
      kind: 'corporate',
      verification: 'approved',
      activations: ['direct_invoices'],
    },
    { ...company, company_id: ida, name: 'Ida', kind: 'individual', verification: 'rejected', activations: [] },
  ],
  keys: [
    { ...key, ...times, ...noActors, key_id: acmeKey, company_id: acme, hint: 'acme-3', revoked_at: null },
    {
      ...key,
      ...times,
      ...noActors,
      key_id: idaKey,
      company_id: ida,
      hint: 'ida-1',
      revoked_at: new Date('2026-04-01'),
    },
  ],
  secrets: [
    // The second rotation shortens the overlap of the first.
    { secret_hash: 'acme-1', key_id: acmeKey, valid_until: new Date('2026-03-03') },
    { secret_hash: 'acme-2', key_id: acmeKey, valid_until: new Date('2026-03-03') },
    { secret_hash: 'acme-3', key_id: acmeKey, valid_until: new Date(expiresAt) },
    { secret_hash: 'ida-1', key_id: idaKey, valid_until: new Date(expiresAt) },
  ],
};

describe('The companies projection', () => {
  it('applies many events of one stream in one batch', async () => {
    await project(events);
    expect(await everything()).toEqual(expected);
  });

  it('writes the same rows for any split into batches', async () => {
    const cuts = fc.subarray(events.map((_, index) => index));
    const property = fc.asyncProperty(cuts, async (starts) => {
      await pool.query('TRUNCATE read_models.companies, read_models.api_keys, read_models.api_key_secrets');
      const bounds = [0, ...starts, events.length];
      await project(...bounds.slice(1).map((end, index) => events.slice(bounds[index], end)));
      expect(await everything()).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 15 });
  });

  it('writes the same rows for redelivered events', async () => {
    await project(events, events, events.slice(-3), ...events.map((event) => [event]));
    expect(await everything()).toEqual(expected);
  });

  it('shows who issued, rotated and revoked a key', async () => {
    const actor = { kind: 'operator', id: 'bootstrap' } as const;
    await project(record(history, actor));
    expect(await rowsOf('api_keys')).toMatchObject([
      { key_id: acmeKey, created_by: actor, rotated_by: actor, revoked_by: null },
      { key_id: idaKey, created_by: actor, rotated_by: null, revoked_by: actor },
    ]);
  });

  it('throws on an event of an unknown row', async () => {
    await expect(project(events.slice(1, 2))).rejects.toThrow(/no event before it has registered/);
    await expect(project(events.slice(6, 7))).rejects.toThrow(/no event before it has issued/);
  });

  it('accepts a name that Postgres cannot store', async () => {
    const data = { companyId: ida, name: 'a\0b\ud800c \u{1F600}', kind: 'individual' } as const;
    await project(record([{ type: 'CompanyRegistered', data }]));
    expect(await rowsOf('companies')).toMatchObject([{ name: 'a\uFFFDb\uFFFDc \u{1F600}' }]);
  });

  it('writes nothing for no events', async () => {
    await project([]);
    expect(await everything()).toEqual({ companies: [], keys: [], secrets: [] });
  });
});
