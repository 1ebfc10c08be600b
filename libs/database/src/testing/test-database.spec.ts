import { Client } from 'pg';
import { createTestDatabase } from './index';

const tablesOf = async (client: Client) =>
  (await client.query<{ name: string }>(`SELECT nspname AS name FROM pg_namespace`)).rows.map(({ name }) => name);

describe('a test database', () => {
  it('is migrated and isolated from other test databases', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const [one, two] = [new Client({ ...first.connection }), new Client({ ...second.connection })];
    await Promise.all([one.connect(), two.connect()]);

    await one.query('CREATE SCHEMA only_in_the_first');
    expect(await tablesOf(one)).toEqual(expect.arrayContaining(['event_store', 'read_models', 'only_in_the_first']));
    expect(await tablesOf(two)).not.toContain('only_in_the_first');

    await Promise.all([one.end(), two.end()]);
    await Promise.all([first.drop(), second.drop()]);
    const gone = new Client({ ...first.connection });
    await expect(gone.connect()).rejects.toThrow('does not exist');
  });
});
