import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the folder has a database. A folder without read access counts, because the start reports the reason. */
export function hasEmbeddedDatabase(dataDirectory: string): boolean {
  try {
    return statSync(join(dataDirectory, 'postgres', 'data', 'PG_VERSION')).isFile();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
