import { type DatabaseConnection, inspectUser, migrateDatabase, pendingMigrations } from '@florin/database';
import type { Log } from './log';
import { StartupError } from './startup-error';

/** Migrates the database and applies the rights of the roles, or checks that its owner has done so. */
export async function prepareDatabase(owner: DatabaseConnection, log: Log): Promise<void> {
  const { isOwner } = await inspectUser(owner);
  if (!isOwner) return requireMigrations(owner);
  const { migrations, rights } = await migrateDatabase(owner);
  if (migrations.length > 0) log.info({ migrations }, 'Applied migrations');
  if (rights === undefined) return;
  const { createdRoles, missingRoles } = rights;
  if (createdRoles.length > 0) log.info({ roles: createdRoles }, 'Created database roles');
  if (missingRoles.length > 0) {
    const remedy = 'Run what `florin database list-roles --sql` prints as a user that may create roles';
    log.info({ roles: missingRoles }, `The owner of the database may not create these roles. ${remedy}`);
  }
}

/** Services with runtime roles cannot migrate. */
async function requireMigrations(connection: DatabaseConnection): Promise<void> {
  const { pending } = await pendingMigrations(connection);
  if (pending.length === 0) return;
  throw new StartupError(
    `The database lacks ${pending.join(', ')}, and its user may not migrate it. ` +
      'Run `florin database migrate` with DATABASE_OWNER_URL set to the owner of the database.',
  );
}

/** A user that owns the tables can also rewrite the log. */
export async function warnAboutOwner(connection: DatabaseConnection, log: Log): Promise<void> {
  const { canRewriteLog } = await inspectUser(connection);
  if (!canRewriteLog) return;
  log.warn(
    'The user of DATABASE_URL owns the tables and can rewrite recorded events. Use the role of the service, and set ' +
      'DATABASE_OWNER_URL for migrations; see "Database roles" in docs/OPERATIONS.md',
  );
}
