import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { generatePassword, type RolePasswords } from './role-passwords';

/** In the format of libpq, so that `psql` can use it: PGPASSFILE=.florin/database.pgpass */
const fileIn = (dataDirectory: string): string => join(dataDirectory, 'database.pgpass');

const lineFormat = /^\*:\*:\*:([^:]+):([^:]+)$/;

export function readPasswords(dataDirectory: string): RolePasswords {
  let text: string;
  try {
    text = readFileSync(fileIn(dataDirectory), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  const entries = text.split('\n').flatMap((line) => {
    const [, name, password] = lineFormat.exec(line) ?? [];
    return name !== undefined && password !== undefined ? [[name, password] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** The passwords of these users of the embedded server. Missing ones are generated and stored. */
export function providePasswords(dataDirectory: string, names: readonly string[]): RolePasswords {
  const known = readPasswords(dataDirectory);
  const passwords = Object.fromEntries(names.map((name) => [name, known[name] ?? generatePassword()]));
  if (names.some((name) => known[name] === undefined)) writePasswords(fileIn(dataDirectory), passwords);
  return passwords;
}

/** Created exclusively: a prepared file could be readable for other users. */
function writePasswords(path: string, passwords: RolePasswords): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(
      file,
      Object.entries(passwords)
        .map(([name, password]) => `*:*:*:${name}:${password}\n`)
        .join(''),
    );
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
