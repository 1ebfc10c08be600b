import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The same folder from `src/migrations` and from `dist/migrations`: SQL files are not compiled. */
export const PRISMA_DIRECTORY = join(__dirname, '..', '..', 'prisma');

export interface Migration {
  readonly name: string;
  readonly sql: string;
  /** As Prisma records it in `_prisma_migrations`. */
  readonly checksum: string;
}

/** All migrations of a folder, oldest first: their names start with a timestamp. */
export function readMigrations(directory: string): Migration[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}
