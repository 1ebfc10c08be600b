import {
  databaseUrl,
  type DatabaseRole,
  type EmbeddedDatabase,
  migrateDatabase,
  openEmbeddedDatabase,
} from '@florin/database';
import { BackingService } from './backing-service';
import type { ProcessRecord } from './process-record';
import type { ServiceListener } from './service-process';

/** Every service process has several connection pools. */
const settings = { max_connections: '400' };

/** The embedded server in the same folder that all-in-one uses, migrated before it is ready. Every service has its own user. */
export function postgresBackingService(
  dataDirectory: string,
  listener: ServiceListener,
  record: ProcessRecord,
): { readonly service: BackingService; readonly urlFor: (role: DatabaseRole) => string } {
  let database: EmbeddedDatabase | undefined;
  const log = (line: string): void => listener.onLine('postgres', line);
  const open = async (onExit: (error: Error) => void): Promise<EmbeddedDatabase> => {
    database = await openEmbeddedDatabase({ dataDirectory, settings, log, onExit, prepare: migrateDatabase });
    return database;
  };
  const service = new BackingService('postgres', open, listener, record);
  return { service, urlFor: (role) => databaseUrl(database!.as(role)) };
}
