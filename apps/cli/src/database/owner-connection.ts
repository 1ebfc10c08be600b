import type { DatabaseConnection } from '@florin/database';
import { type Config, readConfig } from '@florin/runtime/tools';
import { CommandFailed } from '../cli-errors';
import type { Environment } from '../connection';

export interface OwnerConnection {
  readonly owner: DatabaseConnection;
  readonly passwords: Config['DATABASE_PASSWORDS'];
}

/** The database of DATABASE_OWNER_URL, which needs no DATABASE_URL here, or else that of DATABASE_URL. */
export async function withOwner(
  environment: Environment,
  work: (connection: OwnerConnection) => Promise<void>,
): Promise<void> {
  try {
    const url = environment['DATABASE_OWNER_URL'] || environment['DATABASE_URL'];
    if (!url) {
      throw new Error('Set DATABASE_OWNER_URL to your database. Florin prepares the embedded Postgres at every start.');
    }
    const config = readConfig({ ...environment, DATABASE_URL: url });
    await work({ owner: { connectionString: url }, passwords: config.DATABASE_PASSWORDS });
  } catch (error) {
    throw error instanceof CommandFailed ? error : new CommandFailed((error as Error).message);
  }
}
