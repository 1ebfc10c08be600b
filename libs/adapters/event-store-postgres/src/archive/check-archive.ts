import type { LogPublicKeys } from '@florin/event-sourcing';
import type { Pool } from 'pg';
import { ArchiveFolder } from './archive-folder';
import { readArchiveFiles } from './archived-log';

export interface CheckedArchive {
  readonly files: number;
  readonly events: number;
  /** One sentence for each file that is missing or was changed, and for each broken link. */
  readonly problems: readonly string[];
}

/** Compares all archive files with what the database has recorded about them, and their order with their links. */
export async function checkArchive(
  pool: Pick<Pool, 'query'>,
  directory: string,
  keys: LogPublicKeys,
): Promise<CheckedArchive> {
  const folder = new ArchiveFolder(directory);
  const files = await readArchiveFiles(pool);
  const problems: string[] = [];
  let previous = { number: 0, hash: '' };
  for (const file of files) {
    const problem = await folder.problemOf(file, keys);
    if (problem !== undefined) problems.push(problem);
    if (file.number !== previous.number + 1 || file.previous !== previous.hash) {
      problems.push(
        `Archive file ${file.name} does not follow file ${previous.number}: a row of event_store.archive_files was changed`,
      );
    }
    previous = file;
  }
  return { files: files.length, events: files.reduce((sum, { events }) => sum + events, 0), problems };
}
