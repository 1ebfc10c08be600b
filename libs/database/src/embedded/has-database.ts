import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a server was ever started on this folder. One that may not be looked into counts: its start will say why. */
export function hasEmbeddedDatabase(dataDirectory: string): boolean {
  try {
    return statSync(join(dataDirectory, 'postgres', 'data', 'PG_VERSION')).isFile();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
