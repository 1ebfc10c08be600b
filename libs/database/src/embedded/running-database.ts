import { realpathSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { DatabaseConnection } from '../connection';
import { lockHolder } from '../processes/lock-file';
import { readPasswords } from '../roles/password-file';
import { type DatabaseRole, roleName } from '../roles/rights';
import { DATABASE } from './embedded-database';
import { DataFolderError, lockFileIn } from './lock-data-folder';
import { postmasterFile } from './server-process';

/**
 * The database of a Florin that runs on this folder, or undefined if none runs. With `readOnly`, every transaction on the
 * connection is read-only, regardless of the rights of the role.
 */
export function runningDatabase(
  dataDirectory: string,
  role: DatabaseRole,
  { readOnly }: { readonly readOnly: boolean },
): DatabaseConnection | undefined {
  const folder = realpathSync(dataDirectory);
  const pid = lockHolder(lockFileIn(folder));
  if (pid === undefined) return undefined;
  const server = postmasterFile(join(folder, 'postgres', 'data'));
  const password = readPasswords(folder)[roleName(role)];
  if (!server?.isReady || password === undefined) {
    throw new DataFolderError(
      `Florin, process ${pid}, is starting or stopping on the folder ${folder}; try again in a few seconds.`,
    );
  }
  return {
    host: dirname(server.socket),
    port: Number(extname(server.socket).slice(1)),
    user: roleName(role),
    password,
    database: DATABASE,
    ...(readOnly && { options: '-c default_transaction_read_only=on' }),
  };
}
