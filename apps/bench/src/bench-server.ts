import { rmSync } from 'node:fs';
import {
  applyMigrations,
  type DatabaseConnection,
  ensureDatabase,
  startEmbeddedPostgres,
  temporaryDataDirectory,
} from '@florin/database';
import { Client } from 'pg';

export interface BenchServer {
  createDatabase(): Promise<DatabaseConnection>;
  stop(): Promise<void>;
}

const template = 'bench_template';

/** A Postgres server in a temporary folder, with the product's settings except for the number of connections. */
export async function startBenchServer(): Promise<BenchServer> {
  const dataDirectory = temporaryDataDirectory('florin-bench-');
  const server = await startEmbeddedPostgres({ dataDirectory, settings: { max_connections: '200' } });
  await applyMigrations(await ensureDatabase(server.connection, template));
  let count = 0;
  return {
    createDatabase: async () => {
      const database = `bench_${++count}`;
      await execute(server.connection, `CREATE DATABASE ${database} TEMPLATE ${template}`);
      return { ...server.connection, database };
    },
    stop: async () => {
      await server.stop();
      rmSync(dataDirectory, { recursive: true, force: true });
    },
  };
}

async function execute(connection: DatabaseConnection, sql: string): Promise<void> {
  const client = new Client({ ...connection });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
