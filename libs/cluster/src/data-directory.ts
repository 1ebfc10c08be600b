import { mkdirSync, realpathSync } from 'node:fs';

/** Its owner's alone; but where root starts the cluster, the database's own user has to pass through. */
export function provideDataDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  return realpathSync(path);
}
