import type { DatabaseConnection } from '../connection';
import { type AppliedRights, applyRights } from '../roles/apply-rights';
import { applyMigrations, pendingMigrations } from './apply-migrations';

export interface MigratedDatabase {
  readonly migrations: readonly string[];
  /** Absent if a newer release has migrated the database: its roles may need rights that this release does not know. */
  readonly rights?: AppliedRights;
}

/** Applies the pending migrations and the rights of the roles. Call it as the owner of the database. */
export async function migrateDatabase(owner: DatabaseConnection): Promise<MigratedDatabase> {
  const migrations = await applyMigrations(owner);
  const { isNewer } = await pendingMigrations(owner);
  return isNewer ? { migrations } : { migrations, rights: await applyRights(owner) };
}
