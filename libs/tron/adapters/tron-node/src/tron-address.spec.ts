import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { accountOf, addressOf, isTronAddress } from './tron-address';

const usdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const accounts = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex'));

describe('TRON addresses', () => {
  it('converts the USDT contract address to its account and back', () => {
    expect(accountOf(usdt)).toBe('a614f803b6fd780986a42c78ec9c7f77e6ded13c');
    expect(addressOf('a614f803b6fd780986a42c78ec9c7f77e6ded13c')).toBe(usdt);
  });

  it('accepts the address of any account and converts it back', () => {
    fc.assert(
      fc.property(accounts, (account) => {
        const address = addressOf(account);
        expect(isTronAddress(address)).toBe(true);
        expect(accountOf(address)).toBe(account);
      }),
    );
  });

  it('rejects an address with one mistyped character', () => {
    const places = fc.integer({ min: 0, max: 33 });
    fc.assert(
      fc.property(accounts, places, fc.constantFrom(...alphabet), (account, place, character) => {
        const address = addressOf(account);
        fc.pre(address[place] !== character);
        const mistyped = address.slice(0, place) + character + address.slice(place + 1);
        expect(isTronAddress(mistyped)).toBe(false);
      }),
    );
  });

  it.each([
    '',
    'T',
    usdt.slice(1),
    `${usdt}t`,
    ` ${usdt}`,
    usdt.toLowerCase(),
    usdt.replace('R', '0'),
    '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
    withPrefix('00'),
    withPrefix('a0'),
  ])('rejects %p', (text) => {
    expect(isTronAddress(text)).toBe(false);
  });
});

/** A valid checksum over a payload with another prefix. */
function withPrefix(prefix: string): string {
  const payload = Buffer.from(prefix + 'a614f803b6fd780986a42c78ec9c7f77e6ded13c', 'hex');
  const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
  let value = BigInt(`0x${Buffer.concat([payload, sha256(sha256(payload)).subarray(0, 4)]).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = alphabet.charAt(Number(value % 58n)) + text;
  return text;
}
