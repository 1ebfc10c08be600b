import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { DatabaseConnection } from '../connection';
import { PRISMA_DIRECTORY, type Migration } from './migration-files';

/**
 * Written to the column `logs` of Prisma's table in the transaction of a script. After a crash, it shows that an
 * unfinished migration was committed.
 */
export const APPLIED_NOTE = 'applied';

type WorkerResult = { applied: string[] } | { failure: string };

/** Applies the pending migrations with Prisma's schema engine, in a worker thread. Resolves with their names. */
export async function runSchemaEngine(
  connection: DatabaseConnection,
  directory: string,
  migrations: readonly Migration[],
): Promise<string[]> {
  const result = await runWorker({
    connection,
    appliedNote: APPLIED_NOTE,
    migrationsList: asMigrationsList(directory, migrations),
  });
  if ('failure' in result) throw new Error(`The database could not be migrated: ${result.failure}`);
  return result.applied;
}

function runWorker(workerData: object): Promise<WorkerResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(PRISMA_DIRECTORY, 'schema-engine.worker.mjs'), { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The schema engine ended with code ${code} and no result.`)));
  });
}

/** The input format of Prisma's schema engine. */
function asMigrationsList(directory: string, migrations: readonly Migration[]): object {
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}
