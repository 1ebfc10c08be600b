import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataFolder } from '../embedded/lock-data-folder';
import { endPreviousServer } from '../embedded/previous-server';

export const TEST_FOLDER_PREFIX = 'florin-test-';

/** A killed run leaves its server behind; the next run stops it. */
export async function stopAbandonedServers(): Promise<void> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(TEST_FOLDER_PREFIX));
  await Promise.all(folders.map((name) => stopIfAbandoned(join(tmpdir(), name))));
}

async function stopIfAbandoned(folder: string): Promise<void> {
  // A folder without a lock belongs to a run that is starting.
  if (!existsSync(join(folder, 'florin.pid'))) return;
  try {
    lockDataFolder(folder);
    await endPreviousServer(join(folder, 'postgres', 'data'));
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another run uses it, or it belongs to another user.
  }
}
