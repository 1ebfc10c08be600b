import { chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runningAsRoot, unprivilegedAccount } from '../embedded/server-account';
import { temporaryDataDirectory } from '../embedded/temporary-data-directory';

export interface TemporaryDataDirectory {
  readonly path: string;
  /** Makes a file that a test has put into the server's folder belong to the user the server runs as. */
  giveToServer(...path: string[]): void;
  remove(): void;
}

/** A data folder for one suite, which a server run by another user can reach as well. */
export function makeDataDirectory(below = ''): TemporaryDataDirectory {
  const root = temporaryDataDirectory('florin-data-');
  const path = join(root, below);
  mkdirSync(path, { recursive: true, mode: 0o711 });
  return {
    path,
    giveToServer: (...parts) => {
      const { uid, gid } = runningAsRoot() ? unprivilegedAccount() : {};
      if (uid !== undefined && gid !== undefined) chownSync(join(path, ...parts), uid, gid);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
