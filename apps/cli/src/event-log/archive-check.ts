import { createPool } from '@florin/database';
import { checkArchive, type CheckedArchive } from '@florin/event-store-postgres';
import { archiveDirectory, type Config, type EventLog, knownPublicKeys } from '@florin/runtime/tools';
import { CommandFailed } from '../cli-errors';
import type { CheckedLog } from './check-log';

/** Names damaged files before a scan, which could not read their events. */
export async function checkArchiveOf({ connection }: EventLog, config: Config): Promise<CheckedArchive> {
  if (config.EVENT_STORE !== 'postgres') return { files: 0, events: 0, problems: [] };
  const pool = createPool(connection, { max: 1 });
  try {
    return await checkArchive(pool, archiveDirectory(config), knownPublicKeys(config));
  } finally {
    await pool.end();
  }
}

export function damagedArchive(archive: CheckedArchive): CheckedLog {
  const text = `Found damaged archive files, so the log was not scanned:\n  ${archive.problems.join('\n  ')}`;
  return { events: 0, findings: archive.problems.length, failure: new CommandFailed(text, { archive }) };
}

export function archivedText({ files, events }: CheckedArchive): string {
  return files === 0 ? '' : `, ${events} of them in ${files} archive files`;
}
