/** Writes docs/asyncapi.json, the catalog of all webhook events, from the compiled code. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const file = fileURLToPath(new URL('../docs/asyncapi.json', import.meta.url));
const { asyncApiDocument } = createRequire(import.meta.url)('@florin/http-api');
const options = { ...(await resolveConfig(file)), parser: 'json' };
writeFileSync(file, await format(JSON.stringify(asyncApiDocument(), null, 2), options));
