import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { processStart } from './process-identity';

export interface LockFile {
  release(): void;
}

/** Another process, or another part of this one, holds the lock. */
export class AlreadyLocked extends Error {
  override readonly name = 'AlreadyLocked';

  constructor(
    path: string,
    readonly pid: number,
  ) {
    super(`${path} is locked by process ${pid}.`);
  }
}

const POLL_MS = 100;

/**
 * Locks a path for this process. The file names its holder by process id and start time, so the lock of a killed process
 * is taken over at once and that of a suspended or blocked one never is. Throws AlreadyLocked.
 */
export function acquireLock(path: string): LockFile {
  const mine = `${process.pid} ${processStart(process.pid) ?? ''}\n`;
  while (!claim(path, mine)) {
    const theirs = readIfPresent(path);
    if (theirs === undefined) continue;
    const holder = holderOf(theirs);
    if (holder !== undefined) throw new AlreadyLocked(path, holder);
    removeStale(path, theirs);
  }
  return {
    release: () => {
      if (readIfPresent(path) === mine) rmSync(path, { force: true });
    },
  };
}

/** The process that has locked the path, if one has. */
export function lockHolder(path: string): number | undefined {
  const content = readIfPresent(path);
  return content === undefined ? undefined : holderOf(content);
}

/** Runs the work while holding the lock; waits as long as another process holds it. */
export async function withLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = await waitForLock(path);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function waitForLock(path: string): Promise<LockFile> {
  for (;;) {
    try {
      return acquireLock(path);
    } catch (error) {
      if (!(error instanceof AlreadyLocked)) throw error;
      await delay(POLL_MS);
    }
  }
}

/** A hard link appears with its whole content or not at all, so a reader never sees a partial lock file. */
function claim(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}.new`;
  // Readable for everyone: the next start can be that of another user.
  writeFileSync(draft, content, { mode: 0o644 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The process id in the lock file; undefined when that process has ended. */
function holderOf(content: string): number | undefined {
  const [pid, start] = content.trim().split(/ (.*)/s);
  const runningSince = pid ? processStart(Number(pid)) : undefined;
  return runningSince !== undefined && runningSince === start ? Number(pid) : undefined;
}

/** Moves the stale file aside and compares again, because another process may have replaced it in the meantime. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== stale) linkSync(aside, path);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Checking for existence first would race with the owner, who may remove the file before it is read. */
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
