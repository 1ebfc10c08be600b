import { sha256 } from '@florin/kernel';
import { randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 > 2^256 and 62^6 > 2^32, so every value fits into this length. */
const randomLength = 43;
const checksumLength = 6;

/** A prefix, 32 random bytes, and a checksum over both. */
export function generateSecret(prefix: string): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength);
  const unchecked = `${prefix}${random}`;
  return `${unchecked}${checksum(unchecked)}`;
}

/** Rejects mistyped and invented secrets without a database read. */
export function hasSecretFormat(text: string, prefixes: readonly string[]): boolean {
  const prefix = prefixes.find((candidate) => text.startsWith(candidate));
  if (prefix === undefined || !/^[0-9A-Za-z]{49}$/.test(text.slice(prefix.length))) return false;
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
