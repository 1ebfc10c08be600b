export { createPool, type DatabaseConnection, type PoolOptions } from './connection';
export { copyRows } from './copy-rows';
export {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded/embedded-postgres';
export {
  databaseUrl,
  type EmbeddedDatabase,
  type EmbeddedDatabaseOptions,
  openEmbeddedDatabase,
  ownerPassword,
} from './embedded/embedded-database';
export { hasEmbeddedDatabase } from './embedded/has-database';
export { DataFolderError } from './embedded/lock-data-folder';
export { runningDatabase } from './embedded/running-database';
export { temporaryDataDirectory } from './embedded/temporary-data-directory';
export { DatabaseProbe } from './database-probe';
export { ensureDatabase } from './ensure-database';
export { type EventStoreKind, markedEventStore, writeEventStoreMark } from './event-store-mark';
export { applyMigrations, pendingMigrations } from './migrations/apply-migrations';
export { type MigratedDatabase, migrateDatabase } from './migrations/migrate-database';
export { createPrismaClient, prismaClientOn, Prisma, type PrismaClient } from './prisma';
export { createPrivateFile, replacePrivateFile } from './private-file';
export { createRole } from './roles/apply-rights';
export { type DatabaseUser, inspectUser } from './roles/database-user';
export { describeRoles, type DescribedRole } from './roles/describe-roles';
export { rowsOf } from './roles/own-rows';
export { databaseRoles, type DatabaseRole, isDatabaseRole, roleName } from './roles/rights';
export { type RolePasswords, setRolePasswords } from './roles/role-passwords';
export * from './tokens';
export { isStatementTimeout, isTransientDatabaseError } from './transient-error';
export { acquireLock, AlreadyLocked, type LockFile, withLock } from './processes/lock-file';
export { processStart } from './processes/process-identity';
export { provideVaultKeyFile, vaultKeyFileIn } from './vault-key-file';
