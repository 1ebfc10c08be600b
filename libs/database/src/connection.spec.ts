import { createPool } from './connection';
import { createTestDatabase } from './testing';

describe('a pool', () => {
  it('reports a connection that breaks while idle, and opens a new one', async () => {
    const database = await createTestDatabase();
    let report: (error: Error) => void;
    const reported = new Promise<Error>((resolve) => (report = resolve));
    const pool = createPool(database.connection, { max: 1, applicationName: 'spec', onError: (it) => report(it) });
    const other = createPool(database.connection);

    expect((await pool.query('SHOW application_name')).rows).toEqual([{ application_name: 'spec' }]);
    await other.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'spec'`);
    expect((await reported).message).toContain('terminating connection');
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);

    await Promise.all([pool.end(), other.end()]);
    await database.drop();
  });
});
