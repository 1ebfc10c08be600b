import { createHash } from 'node:crypto';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const hexPattern = /^41[0-9a-f]{40}$/;

/** A valid address that nobody holds a key to, always the same for a name. */
export function simulatedAddress(name: string): string {
  return toBase58(
    `41${sha256(Buffer.from(`tron simulator ${name}`))
      .subarray(0, 20)
      .toString('hex')}`,
  );
}

/** The token that stands for USDT on the simulated chain. */
export const simulatedContract = simulatedAddress('USDT');

/** `T…` → 42 hexadecimal digits that begin with `41`, as nodes write addresses. */
export function toHex(address: string): string {
  const digits = [...address].map((character) => alphabet.indexOf(character));
  if (digits.includes(-1)) throw notAnAddress(address);
  const value = digits.reduce((sum, digit) => sum * 58n + BigInt(digit), 0n);
  const bytes = Buffer.from(value.toString(16).padStart(50, '0'), 'hex');
  const hex = bytes.subarray(0, 21).toString('hex');
  if (!hexPattern.test(hex) || toBase58(hex) !== address) throw notAnAddress(address);
  return hex;
}

export function toBase58(hex: string): string {
  const payload = Buffer.from(hex, 'hex');
  const checksum = sha256(sha256(payload)).subarray(0, 4);
  let value = BigInt(`0x${payload.toString('hex')}${checksum.toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = alphabet[Number(value % 58n)] + text;
  return text;
}

export function sha256(content: Buffer | string): Buffer {
  return createHash('sha256').update(content).digest();
}

function notAnAddress(text: string): Error {
  return new Error(`"${text}" is no TRON address. Give one as wallets show it: T and 33 more characters.`);
}
