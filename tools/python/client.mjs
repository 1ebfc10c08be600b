import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provideEnvironment } from './environment.mjs';

export const client = fileURLToPath(new URL('../../clients/python', import.meta.url));

export function provideClientEnvironment() {
  return provideEnvironment('client', join(client, 'requirements-dev.txt'));
}
