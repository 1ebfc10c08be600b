import type { Environment } from '@florin/companies-domain';
import { sha256 } from '@florin/kernel';
import { generateSecret, hasSecretFormat } from './checked-secret';

/** Secret scanners find leaked keys by the prefix. */
const prefixes = { sandbox: 'fl_test_', live: 'fl_live_' } as const satisfies Record<Environment, string>;
const allPrefixes = Object.values(prefixes);

export interface GeneratedKey {
  /** Shown once and not stored. */
  readonly key: string;
  readonly secretHash: string;
  /** The last four characters, to distinguish keys in a list. */
  readonly hint: string;
}

export function generateApiKey(environment: Environment): GeneratedKey {
  const key = generateSecret(prefixes[environment]);
  return { key, secretHash: sha256(key), hint: key.slice(-4) };
}

/** Whether the text has the format of a key. */
export function hasKeyFormat(text: string): boolean {
  return hasSecretFormat(text, allPrefixes);
}
