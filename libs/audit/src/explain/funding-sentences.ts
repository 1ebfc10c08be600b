import type { AddressEvent, Deposit, InvoiceEvent } from '@florin/invoicing-domain';
import { describeOutcome } from './operation-sentences';
import { type Sentences, withFee } from './sentence';

export const invoiceSentences: Sentences<InvoiceEvent> = {
  InvoiceOpened: ({ invoiceId, depositAmount, fee, creditAmount }) =>
    `Invoice ${invoiceId} of ${depositAmount} was requested${withFee('less', fee)}: it will credit ${creditAmount}.`,
  InvoiceIssued: ({ payAmount, address, expiresAt }) =>
    `The invoice asks for exactly ${payAmount} USDT at ${address} until ${expiresAt}.`,
  InvoicePaid: ({ depositId }) => `Deposit ${depositId} paid the invoice in time.`,
  InvoiceCanceled: ({ expiresAt }) => `The invoice was canceled: only a payment before ${expiresAt} counts.`,
  InvoiceCompleted: () => 'The credit was booked, and the invoice is completed.',
  InvoiceExpired: () => 'The invoice expired without a payment.',
  InvoiceFailed: () => 'The invoice failed.',
  InvoiceSentToReview: ({ depositId }) =>
    depositId === undefined
      ? 'The invoice waits for the decision of an operator.'
      : `Deposit ${depositId} waits for the decision of an operator.`,
  PaymentLeftOver: ({ depositId }) => `Deposit ${depositId} came in addition, is not credited and goes to review.`,
  InvoiceResolved: ({ outcome, confirmedBy }) =>
    `${confirmedBy === undefined ? 'An operator' : 'Two operators'} decided that the invoice ${describeOutcome(outcome)}.`,
  InvoiceRecalled: () => 'The invoice was read again from the log. Nothing about it has changed.',
};

export const addressSentences: Sentences<AddressEvent> = {
  PayAmountClaimed: ({ invoiceId, payAmount, address }) =>
    `The amount ${payAmount} USDT at ${address} was set aside for invoice ${invoiceId}.`,
  DepositMatched: ({ deposit, invoiceId, late }) =>
    `${describeDeposit(deposit)} has the amount of invoice ${invoiceId}${late ? ', but came after it had expired' : ''}.`,
  DepositUnmatched: ({ deposit, reason, forReview }) =>
    `${describeDeposit(deposit)} could not be matched (${reason})${forReview ? ', and goes to review' : ''}.`,
  ClaimShortened: ({ invoiceId, expiresAt }) => `Payments of invoice ${invoiceId} are late from ${expiresAt} on.`,
  ClaimLost: ({ invoiceId, readTo }) =>
    `All blocks up to ${readTo} were read without a payment of invoice ${invoiceId}.`,
  DepositResolved: ({ depositId, outcome, invoiceId }) =>
    outcome === 'completed'
      ? `Operators decided that deposit ${depositId} pays invoice ${invoiceId}.`
      : `Operators decided that deposit ${depositId} is not credited.`,
  AmountsFreed: ({ readTo }) => `Amounts of invoices that were watched until ${readTo} can be used again.`,
};

function describeDeposit({ depositId, amount, transactionId, blockNumber }: Deposit): string {
  return `Deposit ${depositId} of ${amount} USDT (transaction ${transactionId}, block ${blockNumber})`;
}
