import { join } from 'node:path';
import { acquireLock, AlreadyLocked, type LockFile } from '../processes/lock-file';

/** The folder cannot be used. The message is complete; a stack trace adds nothing. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

export function lockFileIn(folder: string): string {
  return join(folder, 'florin.pid');
}

/** Reserves a folder for this process. `remark` is appended to the folder's name in the error message. */
export function lockDataFolder(folder: string, remark = ''): LockFile {
  try {
    return acquireLock(lockFileIn(folder));
  } catch (error) {
    if (!(error instanceof AlreadyLocked)) throw error;
    throw new DataFolderError(
      `Florin is already running as process ${error.pid} on the folder ${folder}${remark}; ` +
        'stop it, or set FLORIN_DATA_DIR to another folder.',
    );
  }
}
