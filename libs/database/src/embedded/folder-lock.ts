import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStart } from './running-process';
import { UnusableFolder } from './unusable-folder';

export interface FolderLock {
  release(): void;
}

/**
 * Marks a folder as used by this process; a mark left by a process that is gone is taken over. `remark` is what somebody
 * who is refused has to know about the folder.
 */
export function lockFolder(folder: string, remark = ''): FolderLock {
  const lockFile = join(folder, 'florin.pid');
  const mine = `${process.pid} ${processStart(process.pid) ?? ''}\n`;
  while (!claim(lockFile, mine)) {
    const theirs = readIfPresent(lockFile);
    if (theirs === undefined) continue;
    refuseWhenAlive(theirs, `${folder}${remark}`);
    removeStale(lockFile, theirs);
  }
  return {
    release: () => {
      if (readIfPresent(lockFile) === mine) rmSync(lockFile, { force: true });
    },
  };
}

/** A hard link appears with its whole content or not at all, so nobody ever reads a half-written mark. */
function claim(lockFile: string, content: string): boolean {
  const draft = `${lockFile}.${process.pid}.new`;
  // Whoever may enter the folder may read it: the next start can be that of another user.
  writeFileSync(draft, content, { mode: 0o644 });
  try {
    linkSync(draft, lockFile);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function refuseWhenAlive(content: string, place: string): void {
  const [pid, start] = content.trim().split(/ (.*)/s);
  const runningSince = pid ? processStart(Number(pid)) : undefined;
  if (runningSince === undefined || runningSince !== start) return;
  throw new UnusableFolder(
    `Florin is already running as process ${pid} on the folder ${place}; ` +
      'stop it, or set FLORIN_DATA_DIR to another folder.',
  );
}

/** Moves the stale mark aside and looks again, because another process may have replaced it in the meantime. */
function removeStale(lockFile: string, stale: string): void {
  const aside = `${lockFile}.${process.pid}.stale`;
  try {
    renameSync(lockFile, aside);
    if (readFileSync(aside, 'utf8') !== stale) linkSync(aside, lockFile);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Asking first whether a file exists would not do: its owner may remove it before it is read. */
export function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
