import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface ScalarBundle {
  /** Changes with the content, so that browsers can cache the bundle forever. */
  readonly hash: string;
  readonly script: Buffer;
  readonly gzipped: Buffer;
}

const literalOfBundle = /^var standalone_default = (".*");$/m;

/**
 * The browser bundle of Scalar. Its Fastify plugin contains the bundle as a string constant of 4 MB; reading the constant
 * from the file is cheaper than loading the plugin, and works where an ES module cannot be imported.
 */
export async function readScalarBundle(): Promise<ScalarBundle> {
  const source = await readFile(require.resolve('@scalar/fastify-api-reference'), 'utf8');
  const literal = literalOfBundle.exec(source)?.[1];
  if (literal === undefined) throw new Error('This release of @scalar/fastify-api-reference has no browser bundle.');
  const script = Buffer.from(JSON.parse(literal.replace(/[\0-\x1f]/g, escaped)) as string);
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 16);
  return { hash, script, gzipped: await promisify(gzip)(script) };
}

/** JSON, unlike JavaScript, does not allow control characters in a string. */
function escaped(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
