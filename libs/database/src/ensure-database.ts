import { Client, DatabaseError, escapeIdentifier } from 'pg';
import type { DatabaseConnection } from './connection';

const DUPLICATE_DATABASE = '42P04';

/** Creates the database `name` on the server of `connection` if it does not exist. Resolves with its address. */
export async function ensureDatabase(connection: DatabaseConnection, name: string): Promise<DatabaseConnection> {
  const client = new Client({ ...connection });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === DUPLICATE_DATABASE)) throw error;
  } finally {
    await client.end();
  }
  return { ...connection, database: name };
}
