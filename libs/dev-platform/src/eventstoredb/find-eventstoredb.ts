import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** In a folder next to the workspace. */
const defaultCommand = resolve(__dirname, '../../../../../shared/eventstoredb/run');

/** The command that starts an EventStoreDB, `<command> <data folder> <port> [options]`, or undefined if there is none. */
export function findEventStoreDb(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const command = env['EVENTSTOREDB_RUN'];
  if (!command) return existsSync(defaultCommand) ? defaultCommand : undefined;
  if (existsSync(command)) return resolve(command);
  throw new Error(`EVENTSTOREDB_RUN names ${command}, which does not exist. Correct it, or unset it.`);
}
