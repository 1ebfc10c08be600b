import { assertNever, type Refusal } from '@florin/kernel';
import type { DepositFunds } from '@florin/ledger-domain';
import type { AddressCommand, AddressEvent } from '../address/address.messages';
import type { AdvanceInvoice, InvoiceCommand, InvoiceEvent } from './invoice.messages';
import type { Invoice } from './invoice.state';

/** A command that has to be carried out, and where it goes. */
export interface CommandStep {
  readonly context: 'invoicing' | 'ledger';
  readonly key: string;
  readonly command: InvoiceCommand | AddressCommand | AdvanceInvoice | DepositFunds;
  /** The clock comes back to it, so that it must not hold up other invoices. */
  readonly retriedElsewhere?: true;
}

/** The money first, and then what the ledger's answer makes of the invoice. */
export interface CreditStep {
  readonly credit: DepositFunds;
  readonly then: (refusal: Refusal | undefined) => InvoiceCommand;
}

/**
 * The whole story of an invoice, as far as it is up to us: a place to pay is found, and what was paid is credited. In
 * between everybody waits for the chain, and in a review for an operator. Every step may be repeated, so after a crash the story
 * simply goes on from whatever phase is stored.
 */
export function nextStep(invoice: Invoice | undefined): 'allocate-address' | CreditStep | undefined {
  switch (invoice?.phase) {
    case 'creating':
      return 'allocate-address';
    case 'paid':
      return creditOf(invoice);
    default:
      return undefined;
  }
}

/** The events that have consequences. No other one needs to be decoded. */
export type InvoiceTrigger =
  | Extract<InvoiceEvent, { type: 'InvoiceOpened' | 'InvoicePaid' | 'InvoiceResolved' | 'PaymentLeftOver' }>
  | Extract<AddressEvent, { type: 'PayAmountClaimed' | 'DepositMatched' | 'ClaimLost' | 'DepositResolved' }>;

const isTrigger: { readonly [Type in InvoiceTrigger['type']]: true } = {
  InvoiceOpened: true,
  PayAmountClaimed: true,
  DepositMatched: true,
  ClaimLost: true,
  InvoicePaid: true,
  InvoiceResolved: true,
  PaymentLeftOver: true,
  DepositResolved: true,
};

export const invoiceTriggers = Object.keys(isTrigger);

/** The streams in which they happen. */
export const invoiceTriggerCategories = ['invoices', 'address'] as const;

/** What keeps the story going: whoever wrote the event may have been stopped right after it. */
export function reactTo(event: InvoiceTrigger): readonly CommandStep[] {
  switch (event.type) {
    case 'InvoiceOpened':
    case 'InvoicePaid':
      return [advance(event.data)];
    case 'PayAmountClaimed': {
      const { accountId, invoiceId, address, payAmount } = event.data;
      return [onAccount({ type: 'IssueInvoice', data: { accountId, invoiceId, address, payAmount } })];
    }
    case 'DepositMatched': {
      const { accountId, invoiceId, address, deposit, late } = event.data;
      const data = { accountId, invoiceId, address, depositId: deposit.depositId, late };
      return [onAccount({ type: 'RecordPayment', data })];
    }
    case 'ClaimLost': {
      const { accountId, invoiceId, address } = event.data;
      return [onAccount({ type: 'ExpireInvoice', data: { accountId, invoiceId, address } })];
    }
    case 'InvoiceResolved':
      return event.data.outcome === 'completed' ? [advance(event.data)] : [];
    case 'PaymentLeftOver': {
      const { address, depositId, invoiceId, requestId } = event.data;
      const command = { type: 'ReturnDeposit', data: { address, depositId, invoiceId, requestId } } as const;
      return [{ context: 'invoicing', key: address, command }];
    }
    case 'DepositResolved': {
      const { outcome, accountId, invoiceId, address, depositId, note, requestId } = event.data;
      if (outcome === 'failed' || accountId === undefined || invoiceId === undefined) return [];
      const data = { accountId, invoiceId, address, depositId, note, requestId };
      return [onAccount({ type: 'AttributeDeposit', data })];
    }
    default:
      return assertNever(event);
  }
}

/** The invoice's id is the deposit's, so that the ledger takes it once, and what it says never changes. */
function creditOf({ terms, reviews }: Invoice): CreditStep {
  const { accountId, invoiceId, depositAmount: amount, fee } = terms;
  const fingerprint = `invoice ${invoiceId}: ${amount} less ${fee}`;
  const deposit = {
    depositId: invoiceId,
    reference: invoiceId,
    amount,
    fee,
    description: 'Invoice payment',
    fingerprint,
  };
  return {
    credit: { type: 'DepositFunds', data: { accountId, ...deposit } },
    then: (refusal) => {
      if (refusal === undefined) return { type: 'CompleteInvoice', data: { accountId, invoiceId } };
      const reason = `The ledger did not take the credit: ${refusal.message}`;
      return { type: 'ReviewInvoice', data: { accountId, invoiceId, reason, reviews } };
    },
  };
}

function advance({ accountId, invoiceId }: AdvanceInvoice['data']): CommandStep {
  return { ...onAccount({ type: 'AdvanceInvoice', data: { accountId, invoiceId } }), retriedElsewhere: true };
}

function onAccount(command: InvoiceCommand | AdvanceInvoice): CommandStep {
  return { context: 'invoicing', key: command.data.accountId, command };
}
