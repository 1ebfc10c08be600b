import { closeSync, futimesSync, openSync, rmSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const BEAT_MS = 1_000;
const STALE_MS = 15_000;
const POLL_MS = 200;

/**
 * Work that several processes should not do at once. Who works keeps touching the mark; a mark that has gone cold is that
 * of a process that was killed. Under very bad luck two take over a cold mark together: the work has to bear even that.
 */
export async function oneAtATime<T>(mark: string, work: () => Promise<T>): Promise<T> {
  let claimed = claim(mark);
  while (claimed === undefined) {
    await delay(POLL_MS);
    claimed = claim(mark);
  }
  const descriptor = claimed;
  const beat = setInterval(() => futimesSync(descriptor, new Date(), new Date()), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    closeSync(descriptor);
    rmSync(mark, { force: true });
  }
}

function claim(mark: string): number | undefined {
  const touched = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  if (touched !== undefined && Date.now() - touched > STALE_MS) rmSync(mark, { force: true });
  try {
    return openSync(mark, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
}
