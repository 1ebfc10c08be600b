import type { Environment } from '@florin/companies-domain';
import { sha256 } from '@florin/kernel';
import { randomBytes } from 'node:crypto';

/**
 * A key has the prefix `fl_test_` or `fl_live_`, 32 random bytes, and a checksum over both. Secret scanners find leaked
 * keys by the prefix. The checksum rejects mistyped and invented keys without a database read.
 */
const prefixes = { sandbox: 'fl_test_', live: 'fl_live_' } as const satisfies Record<Environment, string>;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 > 2^256 and 62^6 > 2^32, so every value fits into this length. */
const secretLength = 43;
const checksumLength = 6;
const keyPattern = /^fl_(?:test|live)_[0-9A-Za-z]{49}$/;

export interface GeneratedKey {
  /** Shown once and not stored. */
  readonly key: string;
  readonly secretHash: string;
  /** The last four characters, to distinguish keys in a list. */
  readonly hint: string;
}

export function generateApiKey(environment: Environment): GeneratedKey {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength);
  const unchecked = `${prefixes[environment]}${secret}`;
  const key = `${unchecked}${checksum(unchecked)}`;
  return { key, secretHash: sha256(key), hint: key.slice(-4) };
}

/** Whether the text has the format of a key. */
export function hasKeyFormat(text: string): boolean {
  if (!keyPattern.test(text)) return false;
  const checked = text.length - checksumLength;
  return text.slice(checked) === checksum(text.slice(0, checked));
}

function checksum(text: string): string {
  return base62(BigInt(`0x${sha256(text).slice(0, 8)}`), checksumLength);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text;
}
