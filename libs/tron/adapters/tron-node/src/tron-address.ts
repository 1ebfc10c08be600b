import { createHash } from 'node:crypto';

/** Twenty bytes of an account as logs have them: 40 hexadecimal digits in lower case. */
export type AccountHex = string;

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const textPattern = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
/** The byte that all addresses of the main chain begin with; it is what makes them begin with a T. */
const prefixHex = '41';
const payloadBytes = 21;
const checksumBytes = 4;

/** Whether a text is an address as people write it, with a checksum that a slip of the pen would break. */
export function isTronAddress(text: string): boolean {
  return textPattern.test(text) && encode(payloadOf(text)) === text;
}

/** The account of a valid address. */
export function accountOf(address: string): AccountHex {
  return payloadOf(address).subarray(1).toString('hex');
}

export function addressOf(account: AccountHex): string {
  return encode(Buffer.from(prefixHex + account, 'hex'));
}

/** Without looking at the checksum. */
function payloadOf(text: string): Buffer {
  let value = 0n;
  for (const character of text) value = value * 58n + BigInt(alphabet.indexOf(character));
  const hexDigits = 2 * (payloadBytes + checksumBytes);
  return Buffer.from(value.toString(16).padStart(hexDigits, '0').slice(0, hexDigits), 'hex').subarray(0, payloadBytes);
}

function encode(payload: Buffer): string {
  const checksum = sha256(sha256(payload)).subarray(0, checksumBytes);
  let value = BigInt(`0x${payload.toString('hex')}${checksum.toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = alphabet.charAt(Number(value % 58n)) + text;
  return text;
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
