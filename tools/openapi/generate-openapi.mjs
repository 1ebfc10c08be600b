/** Writes the OpenAPI documents into docs, from the compiled code. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const { apiDocuments } = createRequire(import.meta.url)('@florin/http-api');
const documents = apiDocuments('http://localhost:3000');

await write('openapi.json', documents.public);
await write('openapi-operator.json', documents.operator);

async function write(name, document) {
  const file = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
  const options = { ...(await resolveConfig(file)), parser: 'json' };
  writeFileSync(file, await format(JSON.stringify(document, null, 2), options));
}
