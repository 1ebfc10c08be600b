import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivateFile } from './private-file';

const explanation = `# The vault key of this data folder. It decrypts the keys in the database: without it, personal data and webhook secrets are lost.
# Store a copy apart from the backups of the database. One key per line; the first one encrypts.
`;

/** The vault key of the embedded database is in the data folder, never in the database. */
export function vaultKeyFileIn(dataDirectory: string): string {
  return join(dataDirectory, 'vault.key');
}

/** Generates a vault key, unless the data folder has one. */
export function provideVaultKeyFile(dataDirectory: string): string {
  const file = vaultKeyFileIn(dataDirectory);
  if (existsSync(file)) return file;
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  createPrivateFile(file, `${explanation}${randomBytes(32).toString('base64')}\n`);
  return file;
}
