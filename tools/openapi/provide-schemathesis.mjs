/** Installs schemathesis, unless it is there. */
import { fileURLToPath } from 'node:url';
import { provideEnvironment } from '../python/environment.mjs';

provideEnvironment('schemathesis', fileURLToPath(new URL('requirements.txt', import.meta.url)));
