import { applyMigrations, type DatabaseConnection, ensureDatabase, startEmbeddedPostgres } from '@florin/database';
import type { ProcessRecord } from '../process-record';
import type { ServiceListener } from '../service-process';
import { Engine } from './engine';

/** Every process brings pools of its own. */
const settings = { max_connections: '400' };

/** The embedded server in the data folder, where the all-in-one product keeps it, too; ready with the newest schema. */
export function postgresEngine(
  dataDirectory: string,
  listener: ServiceListener,
  record: ProcessRecord,
): { readonly engine: Engine; readonly url: () => string } {
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
  return { engine: new Engine('postgres', open, listener, record), url: () => urlOf(connection) };
}

/** A server that listens on a socket only is named by the socket's folder. */
function urlOf({ user, database, host = '' }: DatabaseConnection): string {
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
}
