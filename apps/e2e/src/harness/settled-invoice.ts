import { randomUUID } from 'node:crypto';
import { sha256 } from '@florin/kernel';

/** The first events of streams, by the name of the stream. */
export type NewStreams = Readonly<Record<string, readonly (readonly [type: string, data: object])[]>>;

/** All events of a live invoice that was paid in time and credited, in the order in which Florin stores them. */
export function settledInvoice(companyId: string, amount: string): NewStreams {
  const [invoiceId, depositId] = [randomUUID(), randomUUID()];
  const accountId = `${companyId}-live`;
  const now = new Date().toISOString();
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const ids = { accountId, invoiceId };
  const address = `TSettled${sha256(invoiceId).slice(0, 26)}`;
  const payAmount = `${amount}0001`;
  const terms = {
    ...{ ...ids, companyId, environment: 'live', depositAmount: amount, fee: '0.00', creditAmount: amount },
    ...{ createdAt: now, expiresAt: later },
  };
  const transfer = {
    ...{ transactionId: sha256(depositId), logIndex: 0, from: 'TPayer', amount: payAmount, blockNumber: 1 },
    blockTime: now,
  };
  const claim = { address, ...ids, payAmount, claimedAt: now, expiresAt: later, watchedUntil: later };
  const credit = { depositId: invoiceId, reference: invoiceId, amount, fee: '0.00', fingerprint: invoiceId };
  const block = { fromBlock: 1, parentId: 'b0', toBlock: 1, toBlockId: 'b1', toBlockTime: now };
  return {
    [`address-${address}`]: [
      ['PayAmountClaimed', claim],
      ['DepositMatched', { address, deposit: { depositId, ...transfer }, ...ids, late: false }],
    ],
    [`invoices-${accountId}`]: [
      ['InvoiceOpened', { ...terms, fingerprint: invoiceId }],
      ['InvoiceIssued', { ...terms, address, payAmount }],
      ['InvoicePaid', { ...ids, depositId }],
      ['InvoiceCompleted', ids],
    ],
    [`account-${accountId}`]: [
      ['FundsDeposited', { ...credit, description: 'Invoice payment', after: { available: amount, held: '0.00' } }],
    ],
    'chain-0': [['BlocksRead', { ...block, transfers: [{ ...transfer, to: address }] }]],
  };
}
