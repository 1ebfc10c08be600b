import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { sandboxAddress, sandboxDeposit } from './sandbox-address';

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The check of a wallet: 21 bytes that begin with 41, and a checksum of four bytes. */
function isAcceptedByWallets(address: string): boolean {
  let number = 0n;
  for (const digit of address) number = number * 58n + BigInt(digits.indexOf(digit));
  const bytes = Buffer.from(number.toString(16).padStart(50, '0'), 'hex');
  const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest();
  const checksum = sha256(sha256(bytes.subarray(0, 21))).subarray(0, 4);
  return bytes.length === 25 && bytes[0] === 0x41 && bytes.subarray(21).equals(checksum);
}

describe('sandboxAddress', () => {
  it('has the format of an address and is rejected by wallets', () => {
    expect(isAcceptedByWallets('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe(true);
    fc.assert(
      fc.property(fc.string(), (accountId) => {
        const address = sandboxAddress(accountId);
        expect(address).toMatch(/^TestSandbox[1-9A-HJ-NP-Za-km-z]{23}$/);
        expect(isAcceptedByWallets(address)).toBe(false);
      }),
    );
  });

  it('has a prefix that no real address has', () => {
    const firstByteOf = (address: string): bigint => {
      let number = 0n;
      for (const digit of address) number = number * 58n + BigInt(digits.indexOf(digit));
      return number >> 192n;
    };
    expect(firstByteOf(`TestSandbox${'1'.repeat(23)}`)).toBe(0x42n);
    expect(firstByteOf(`TestSandbox${'z'.repeat(23)}`)).toBe(0x42n);
  });

  it('depends on the account only', () => {
    expect(sandboxAddress('acme-sandbox')).toBe(sandboxAddress('acme-sandbox'));
    expect(sandboxAddress('ida-sandbox')).not.toBe(sandboxAddress('acme-sandbox'));
  });
});

it('derives the same sandbox deposit from the same invoice', () => {
  const first = sandboxDeposit('i1', '100.003127', new Date('2030-01-01T12:00:00.000Z'));
  const again = sandboxDeposit('i1', '100.003127', new Date('2030-01-01T12:00:01.000Z'));
  expect({ ...again, blockTime: first.blockTime }).toEqual(first);
  expect(first.transactionId).toMatch(/^[0-9a-f]{64}$/);
  expect(sandboxDeposit('i2', '1.000001', new Date(0)).depositId).not.toBe(first.depositId);
});
