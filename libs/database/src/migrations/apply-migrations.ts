import { join } from 'node:path';
import { Client } from 'pg';
import type { DatabaseConnection } from '../connection';
import { PRISMA_DIRECTORY, readMigrations, type Migration } from './migration-files';
import { lockMigrations } from './migration-lock';
import { APPLIED_NOTE, runSchemaEngine } from './schema-engine';

/**
 * Applies all pending migrations and resolves with their names. An up-to-date database costs two small queries. Several
 * processes may start at once: an advisory lock lets one of them migrate, and the others find nothing to do.
 */
export async function applyMigrations(
  connection: DatabaseConnection,
  directory: string = join(PRISMA_DIRECTORY, 'migrations'),
): Promise<string[]> {
  const migrations = readMigrations(directory);
  const client = new Client({ ...connection, application_name: 'florin-migrations' });
  await client.connect();
  try {
    if (await isUpToDate(client, migrations)) return [];
    await lockMigrations(client);
    await settleUnfinished(client);
    if (await isUpToDate(client, migrations)) return [];
    return await runSchemaEngine(connection, directory, migrations);
  } finally {
    await client.end();
  }
}

export interface MissingMigrations {
  /** Whether no migration has been applied to this database. */
  readonly isEmpty: boolean;
  readonly pending: readonly string[];
  /** Whether a newer release has migrated this database. */
  readonly isNewer: boolean;
}

/** The migrations that a database lacks, for callers that must not change it. */
export async function pendingMigrations(
  connection: DatabaseConnection,
  directory: string = join(PRISMA_DIRECTORY, 'migrations'),
): Promise<MissingMigrations> {
  const client = new Client({ ...connection, application_name: 'florin-migrations' });
  await client.connect();
  try {
    return await compare(client, readMigrations(directory));
  } finally {
    await client.end();
  }
}

async function isUpToDate(client: Client, migrations: readonly Migration[]): Promise<boolean> {
  return (await compare(client, migrations)).pending.length === 0;
}

async function compare(client: Client, migrations: readonly Migration[]): Promise<MissingMigrations> {
  const applied = await appliedChecksums(client);
  const edited = migrations.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (edited) {
    throw new Error(
      `The migration ${edited.name} was changed after this database had applied it, so the two may differ; ` +
        'put the file back as it was and make the change in a new migration.',
    );
  }
  const pending = migrations.map(({ name }) => name).filter((name) => !applied.has(name));
  const known = new Set(migrations.map(({ name }) => name));
  const isNewer = [...applied.keys()].some((name) => !known.has(name));
  return { isEmpty: applied.size === 0, pending, isNewer };
}

async function appliedChecksums(client: Client): Promise<Map<string, string>> {
  if (!(await hasMigrationsTable(client))) return new Map();
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM public._prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/**
 * After a run that failed or was killed during a migration, Prisma would reject all further ones. A script is one
 * transaction that also records its commit, so an unfinished migration is known to be applied or not.
 */
async function settleUnfinished(client: Client): Promise<void> {
  if (!(await hasMigrationsTable(client))) return;
  await client.query(
    `UPDATE public._prisma_migrations
     SET finished_at = CASE WHEN logs = $1 THEN now() END,
         applied_steps_count = CASE WHEN logs = $1 THEN 1 ELSE 0 END,
         rolled_back_at = CASE WHEN logs = $1 THEN NULL ELSE now() END
     WHERE finished_at IS NULL AND rolled_back_at IS NULL`,
    [APPLIED_NOTE],
  );
}

async function hasMigrationsTable(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS found`,
  );
  return rows[0]?.found === true;
}
