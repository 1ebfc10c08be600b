import { applyMigrations, type DatabaseConnection, ensureDatabase, startEmbeddedPostgres } from '@florin/database';
import { BackingService } from './backing-service';
import type { ProcessRecord } from './process-record';
import type { ServiceListener } from './service-process';

/** Every service process has several connection pools. */
const settings = { max_connections: '400' };

/** The embedded server in the same folder that all-in-one uses, migrated before it is ready. */
export function postgresBackingService(
  dataDirectory: string,
  listener: ServiceListener,
  record: ProcessRecord,
): { readonly service: BackingService; readonly url: () => string } {
  let connection: DatabaseConnection = {};
  const log = (line: string): void => listener.onLine('postgres', line);
  const open = async (onExit: (error: Error) => void) => {
    const server = await startEmbeddedPostgres({ dataDirectory, settings, log, onExit });
    try {
      connection = await ensureDatabase(server.connection, 'florin');
      await applyMigrations(connection);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  };
  return { service: new BackingService('postgres', open, listener, record), url: () => urlOf(connection) };
}

/** The server listens on a Unix socket only, whose folder takes the place of a host. */
function urlOf({ user, database, host = '' }: DatabaseConnection): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
}
