import { deterministicId, sha256 } from '@florin/kernel';
import type { Deposit } from './address.messages';

/** As in Bitcoin: without 0, O, I and l, which look like others. */
const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Real addresses run from `T9` to `TZ`: whatever begins with `Te` has another first byte than TRON's and no checksum, so that
 * every wallet refuses it, and people see what it is.
 */
const prefix = 'TestSandbox';
const addressLength = 34;

/** Where the invoices of a sandbox account are paid to. It looks like an address, and nobody can send anything to it. */
export function sandboxAddress(accountId: string): string {
  let rest = BigInt(`0x${sha256(`sandbox address ${accountId}`)}`);
  let address = prefix;
  while (address.length < addressLength) {
    address += digits.charAt(Number(rest % 58n));
    rest /= 58n;
  }
  return address;
}

/** What the payment of a sandbox invoice looks like. It has no chain: the same invoice always has the same payment. */
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
