import { type DatabaseConnection, ensureDatabase, startEmbeddedPostgres } from '@florin/database';
import type { Config } from './config';
import type { Log } from './log';

export interface DatabaseServer {
  readonly connection: DatabaseConnection;
  stop(): Promise<void>;
}

/** The server that `DATABASE_URL` names, or else one of our own in the data folder. */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  onLost: (error: Error) => void,
): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== undefined) {
    return { connection: { connectionString: config.DATABASE_URL }, stop: async () => undefined };
  }
  const server = await startEmbeddedPostgres({
    dataDirectory: config.FLORIN_DATA_DIR,
    onExit: onLost,
    log: (message) => log.info(message),
  });
  try {
    return { connection: await ensureDatabase(server.connection, 'florin'), stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
