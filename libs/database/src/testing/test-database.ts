import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import type { DatabaseConnection } from '../connection';
import { type DatabaseRole, roleName } from '../roles/rights';

/** The variable with the address of the server that all specs of a run share. */
export const TEST_SERVER_VARIABLE = 'FLORIN_TEST_DATABASE';
export const TEMPLATE_DATABASE = 'florin_template';

export interface TestDatabase {
  /** As the owner. */
  readonly connection: DatabaseConnection;
  /** As a runtime role, with only its rights. */
  connectionAs(role: DatabaseRole): DatabaseConnection;
  drop(): Promise<void>;
}

/** A fresh, fully migrated database for one suite, on the server that all suites of the run share. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = testServer();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE}`);
  const connection = { ...server, database: name };
  return {
    connection,
    connectionAs: (role) => ({ ...connection, user: roleName(role) }),
    drop: () => dropDatabase(server, name),
  };
}

/** The address of the shared server, for specs that create databases themselves. */
export function testServer(): DatabaseConnection {
  const connection = process.env[TEST_SERVER_VARIABLE];
  if (!connection) throw new Error(`${TEST_SERVER_VARIABLE} is not set; run the specs with Jest from the root folder.`);
  return JSON.parse(connection) as DatabaseConnection;
}

/**
 * `pool.end()` resolves before its last connection is closed, and a connection that is terminated then raises an
 * unhandled error. So the server first waits for the connections, and terminates only what remains.
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

/** The SQLSTATE of a database with open connections. */
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
