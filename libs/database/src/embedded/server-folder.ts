import { createHash } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canReach, runningAsRoot, unprivilegedAccount, type ServerAccount } from './server-account';
import { DataFolderError } from './lock-data-folder';

/** Where a server started by root stores what its user cannot access below the data folder. */
export const ROOT_STAGING_DIRECTORY = '/var/lib/florin';

/** A socket's whole path must fit into 104 bytes on macOS and 108 on Linux; its file name and separator take 15. */
const MAX_SOCKET_DIRECTORY_BYTES = 88;

export interface ServerFolder {
  /** Contains all files of the server, and belongs to the account. */
  readonly path: string;
  readonly account: ServerAccount;
  readonly isStaged: boolean;
}

/**
 * Finds or creates `<data folder>/postgres`. When root starts the server, the folder's owner is the account to run it as; where
 * that account cannot reach the data folder, `postgres` is a link to a folder that it can reach.
 */
export function provideServerFolder(dataDirectory: string): ServerFolder {
  const entry = join(dataDirectory, 'postgres');
  if (!existsSync(entry)) {
    createServerFolder(entry, dataDirectory);
    syncDirectory(dataDirectory);
  }
  const path = realpathSync(entry);
  const owner = statSync(path);
  if (!runningAsRoot()) {
    if (owner.uid !== process.getuid?.()) throw notOurs(path, owner.uid);
    return { path, account: {}, isStaged: false };
  }
  const account = { uid: owner.uid, gid: owner.gid };
  if (!canReach(account, path)) throw unreachable(path, owner.uid);
  return { path, account, isStaged: path !== join(realpathSync(dataDirectory), 'postgres') };
}

/** The socket is in the server folder, or in a temporary folder when that path is too long for a socket. */
export function recreateSocketDirectory({ path, account }: ServerFolder): string {
  const beside = join(path, 'socket');
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16);
  const directory = Buffer.byteLength(beside) <= MAX_SOCKET_DIRECTORY_BYTES ? beside : join(tmpdir(), `florin-${name}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o700 });
  giveTo(account, directory);
  return directory;
}

/** Syncs the folder's entries, so that new files in it survive a power cut. */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function createServerFolder(entry: string, dataDirectory: string): void {
  const account = runningAsRoot() ? unprivilegedAccount() : {};
  if (canReach(account, dataDirectory)) {
    mkdirSync(entry, { mode: 0o700 });
    giveTo(account, entry);
    return;
  }
  mkdirSync(ROOT_STAGING_DIRECTORY, { recursive: true, mode: 0o755 });
  const staged = mkdtempSync(join(ROOT_STAGING_DIRECTORY, 'data-'));
  giveTo(account, staged);
  symlinkSync(staged, entry);
}

function giveTo({ uid, gid }: ServerAccount, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function notOurs(path: string, uid: number): Error {
  return new DataFolderError(
    `The database folder ${path} belongs to the user with id ${uid}; ` +
      'start Florin as that user or as root, or set FLORIN_DATA_DIR to another folder.',
  );
}

function unreachable(path: string, uid: number): Error {
  return new DataFolderError(
    `The database folder ${path} cannot be reached by its owner, the user with id ${uid}, as whom the server must run; ` +
      'let that user pass through every folder above it (chmod o+x), or set FLORIN_DATA_DIR to another folder.',
  );
}
