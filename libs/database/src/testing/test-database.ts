import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import type { DatabaseConnection } from '../connection';

/** The variable by which the specs of a run learn of the one server that the run has started. */
export const TEST_SERVER_VARIABLE = 'FLORIN_TEST_DATABASE';
export const TEMPLATE_DATABASE = 'florin_template';

export interface TestDatabase {
  readonly connection: DatabaseConnection;
  drop(): Promise<void>;
}

/** A fresh, fully migrated database for one suite, on the server that all suites of the run share. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = testServer();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE}`);
  return {
    connection: { ...server, database: name },
    drop: () => dropDatabase(server, name),
  };
}

/** The way to the run's server itself, for specs that make databases of their own. */
export function testServer(): DatabaseConnection {
  const connection = process.env[TEST_SERVER_VARIABLE];
  if (!connection) throw new Error(`${TEST_SERVER_VARIABLE} is not set; run the specs with Jest from the root folder.`);
  return JSON.parse(connection) as DatabaseConnection;
}

/**
 * A pool says that it has ended before its last connection is closed, and a session that is cut off right then raises an
 * error nobody listens to any more. So the server first waits for them to leave, and only what stays is cut off.
 */
async function dropDatabase(server: DatabaseConnection, name: string): Promise<void> {
  const drop = `DROP DATABASE IF EXISTS ${escapeIdentifier(name)}`;
  try {
    await execute(server, drop);
  } catch (error) {
    if ((error as { code?: unknown }).code !== inUse) throw error;
    await execute(server, `${drop} WITH (FORCE)`);
  }
}

/** The SQLSTATE of a database that somebody is still connected to. */
const inUse = '55006';

async function execute(server: DatabaseConnection, sql: string): Promise<void> {
  const client = new Client({ ...server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
