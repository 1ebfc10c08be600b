import {
  type DatabaseConnection,
  type DatabaseRole,
  DataFolderError,
  markedEventStore,
  openEmbeddedDatabase,
} from '@florin/database';
import { explainDatabaseErrors, explainDataFolderErrors } from './startup-error';
import type { Config } from './config';
import type { Log } from './log';

export interface DatabaseServer {
  /** With the rights of the requested role, if the platform team has separated them. */
  readonly connection: DatabaseConnection;
  readonly owner: DatabaseConnection;
  stop(): Promise<void>;
}

export interface DatabaseServerOptions {
  readonly role: DatabaseRole;
  readonly log: Log;
  /** Checks or migrates the schema, as the owner of the database. */
  readonly prepare: (owner: DatabaseConnection) => Promise<unknown>;
  readonly onLost: (error: Error) => void;
}

/** The server at `DATABASE_URL`, or else an embedded server in the data folder. */
export async function openDatabaseServer(config: Config, options: DatabaseServerOptions): Promise<DatabaseServer> {
  const { role, log, prepare, onLost } = options;
  if (config.DATABASE_URL !== undefined) {
    const owner = { connectionString: config.DATABASE_OWNER_URL ?? config.DATABASE_URL };
    await explainDatabaseErrors(config, () => prepare(owner));
    return { connection: { connectionString: config.DATABASE_URL }, owner, stop: async () => undefined };
  }
  const database = await explainDataFolderErrors(config, async () => {
    refuseOtherEventStore(config);
    return openEmbeddedDatabase({
      dataDirectory: config.FLORIN_DATA_DIR,
      prepare,
      onExit: onLost,
      log: (message) => log.info(message),
    });
  });
  return { connection: database.as(role), owner: database.owner, stop: () => database.stop() };
}

/** Read models belong to one log, and a log in the wrong store appears empty. */
function refuseOtherEventStore({ FLORIN_DATA_DIR: folder, EVENT_STORE }: Config): void {
  const marked = markedEventStore(folder);
  if (marked === undefined || marked === EVENT_STORE) return;
  const remedy = `set EVENT_STORE=${marked}${marked === 'eventstoredb' ? ' and EVENTSTORE_URL' : ''}`;
  throw new DataFolderError(
    `The folder ${folder} stores its events in ${marked}; ${remedy}, or choose another folder with FLORIN_DATA_DIR.`,
  );
}
