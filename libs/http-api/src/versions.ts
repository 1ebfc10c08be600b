import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of the HTTP API and the webhooks. It grows with every addition, independently of Florin's releases. */
export const apiVersion = '1.1.0';

/** The release of Florin. All packages of the workspace have the same version. */
export const florinVersion = (
  JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as { version: string }
).version;
