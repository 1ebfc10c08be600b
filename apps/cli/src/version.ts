import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The release of Florin. */
export function readVersion(): string {
  const manifest = readFileSync(join(__dirname, '../../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
