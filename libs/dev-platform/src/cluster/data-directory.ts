import { mkdirSync, realpathSync } from 'node:fs';

/** Accessible to its owner only. Started by root, the database server runs as another user, who must be able to enter. */
export function provideDataDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  return realpathSync(path);
}
