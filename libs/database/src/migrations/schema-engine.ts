import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { DatabaseConnection } from '../connection';
import { PRISMA_DIRECTORY, type Migration } from './migration-files';

/** The log of a migration between the commit of its script and the moment when Prisma marks it as finished. */
export const APPLIED_NOTE = 'applied';

type Answer = { applied: string[] } | { failure: string };

/** Applies the pending migrations with Prisma's schema engine. Resolves with their names. */
export async function runSchemaEngine(
  connection: DatabaseConnection,
  directory: string,
  migrations: readonly Migration[],
): Promise<string[]> {
  const answer = await askWorker({
    connection,
    appliedNote: APPLIED_NOTE,
    migrationsList: asMigrationsList(directory, migrations),
  });
  if ('failure' in answer) throw new Error(`The database could not be migrated: ${answer.failure}`);
  return answer.applied;
}

function askWorker(workerData: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(PRISMA_DIRECTORY, 'schema-engine.worker.mjs'), { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The schema engine ended with code ${code} and no result.`)));
  });
}

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
