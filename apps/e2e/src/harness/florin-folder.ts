import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './florin-process';

/** A folder as `npm ci && npm start` leaves it, with these credentials. */
export function newFlorinFolder(credentials: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'florin-docs-'));
  mkdirSync(join(folder, '.florin'));
  writeFileSync(join(folder, '.florin/credentials.json'), JSON.stringify(credentials));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}
