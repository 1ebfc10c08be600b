export { createPool, type DatabaseConnection, type PoolOptions } from './connection';
export { copyRows } from './copy-rows';
export {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded/embedded-postgres';
export { hasEmbeddedDatabase } from './embedded/has-database';
export { DataFolderError } from './embedded/lock-data-folder';
export { temporaryDataDirectory } from './embedded/temporary-data-directory';
export { ensureDatabase } from './ensure-database';
export { type EventStoreKind, markedEventStore, writeEventStoreMark } from './event-store-mark';
export { applyMigrations, pendingMigrations } from './migrations/apply-migrations';
export { createPrismaClient, Prisma, type PrismaClient } from './prisma';
export { replacePrivateFile } from './private-file';
export * from './tokens';
export { isTransientDatabaseError } from './transient-error';
export { acquireLock, AlreadyLocked, type LockFile, withLock } from './processes/lock-file';
export { processStart } from './processes/process-identity';
export { provideVaultKeyFile, vaultKeyFileIn } from './vault-key-file';
