import type { Deposit, Settlement } from './address.messages';

/** The transfer of a deposit, for the invoice that it pays. */
export function settlementBy({ transactionId, blockNumber, blockTime }: Deposit): Settlement {
  return { transactionId, blockNumber, blockTime };
}
