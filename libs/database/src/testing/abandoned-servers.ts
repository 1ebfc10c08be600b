import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataFolder } from '../embedded/lock-data-folder';
import { endPreviousServer } from '../embedded/previous-server';

export const TEST_FOLDER_PREFIX = 'florin-test-';

/** A run that was killed leaves its server behind; the next run ends it, so that they do not pile up. */
export async function endAbandonedServers(): Promise<void> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(TEST_FOLDER_PREFIX));
  await Promise.all(folders.map((name) => endIfAbandoned(join(tmpdir(), name))));
}

async function endIfAbandoned(folder: string): Promise<void> {
  // A folder without a mark is that of a run which is just beginning.
  if (!existsSync(join(folder, 'florin.pid'))) return;
  try {
    lockDataFolder(folder);
    await endPreviousServer(join(folder, 'postgres', 'data'));
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It is in use by another run, or belongs to another user.
  }
}
