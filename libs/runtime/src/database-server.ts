import {
  type DatabaseConnection,
  ensureDatabase,
  markedEventStore,
  startEmbeddedPostgres,
  UnusableFolder,
} from '@florin/database';
import { explainDataFolderErrors } from './startup-error';
import type { Config } from './config';
import type { Log } from './log';

export interface DatabaseServer {
  readonly connection: DatabaseConnection;
  stop(): Promise<void>;
}

/** The server at `DATABASE_URL`, or else an embedded server in the data folder. */
export async function openDatabaseServer(
  config: Config,
  log: Log,
  onLost: (error: Error) => void,
): Promise<DatabaseServer> {
  if (config.DATABASE_URL !== undefined) {
    return { connection: { connectionString: config.DATABASE_URL }, stop: async () => undefined };
  }
  const server = await explainDataFolderErrors(config, async () => {
    refuseOtherEventStore(config);
    return startEmbeddedPostgres({
      dataDirectory: config.FLORIN_DATA_DIR,
      onExit: onLost,
      log: (message) => log.info(message),
    });
  });
  try {
    return { connection: await ensureDatabase(server.connection, 'florin'), stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Read models belong to one log, and a log in the wrong store appears empty. */
function refuseOtherEventStore({ FLORIN_DATA_DIR: folder, EVENT_STORE }: Config): void {
  const marked = markedEventStore(folder);
  if (marked === undefined || marked === EVENT_STORE) return;
  const remedy = `set EVENT_STORE=${marked}${marked === 'eventstoredb' ? ' and EVENTSTORE_URL' : ''}`;
  throw new UnusableFolder(
    `The folder ${folder} stores its events in ${marked}; ${remedy}, or choose another folder with FLORIN_DATA_DIR.`,
  );
}
