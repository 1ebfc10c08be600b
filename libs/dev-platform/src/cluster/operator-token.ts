import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All gateways share one token: the configured one, the one in credentials.json, or a new one. */
export function operatorTokenFor(dataDirectory: string, env: Readonly<Record<string, string>>): string {
  const known = env['FLORIN_OPERATOR_TOKEN'] || tokenIn(join(dataDirectory, 'credentials.json'));
  if (known) return known;
  // A gateway without demo data does not write its token to a file, so a generated one would be unknown to everybody.
  if (env['FLORIN_SEED'] === 'none') throw new Error('FLORIN_SEED=none needs a token: set FLORIN_OPERATOR_TOKEN.');
  return generateToken();
}

function tokenIn(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return (JSON.parse(text) as { operatorToken?: string }).operatorToken;
  } catch {
    throw new Error(`${file} is not valid JSON. Repair it, or delete it to get new credentials.`);
  }
}

function generateToken(): string {
  return `flop_${randomBytes(32).toString('base64url')}`;
}
