import { deterministicId, sha256 } from '@florin/kernel';
import type { Deposit } from './address.messages';

/** The base58 alphabet. */
const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Real addresses begin with `T9` to `TZ`. A prefix of `Te` implies another first byte, so that wallets reject the address and
 * people recognize it.
 */
const prefix = 'TestSandbox';
const addressLength = 34;

/** The pay address of a sandbox account. It resembles a TRON address, but no transfer to it is possible. */
export function sandboxAddress(accountId: string): string {
  let rest = BigInt(`0x${sha256(`sandbox address ${accountId}`)}`);
  let address = prefix;
  while (address.length < addressLength) {
    address += digits.charAt(Number(rest % 58n));
    rest /= 58n;
  }
  return address;
}

/** The deposit of a sandbox invoice. The same invoice always has the same deposit. */
export function sandboxDeposit(invoiceId: string, amount: Deposit['amount'], now: Date): Deposit {
  return {
    depositId: deterministicId('sandbox deposit', invoiceId),
    transactionId: sha256(`sandbox payment ${invoiceId}`),
    logIndex: 0,
    from: sandboxAddress('payer'),
    amount,
    blockNumber: 0,
    blockTime: now.toISOString(),
  };
}
