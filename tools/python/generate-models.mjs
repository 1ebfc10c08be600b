/** Writes the models of the Python client from docs/openapi.json. */
import { join } from 'node:path';
import { client, provideClientEnvironment } from './client.mjs';
import { run } from './environment.mjs';

const bin = provideClientEnvironment();
if (bin !== undefined) run(join(bin, 'python'), ['generate_models.py'], { cwd: client });
