import { assertNever, decisionIn, type Refusal } from '@florin/kernel';
import type { DepositFunds } from '@florin/ledger-domain';
import type { AddressCommand, AddressEvent } from '../address/address.messages';
import { settlementBy } from '../address/settlement-by';
import type { AdvanceInvoice, InvoiceCommand, InvoiceEvent } from './invoice.messages';
import type { Invoice } from './invoice.state';

/** A command and its destination. */
export interface CommandStep {
  readonly context: 'invoicing' | 'ledger';
  readonly key: string;
  readonly command: InvoiceCommand | AddressCommand | AdvanceInvoice | DepositFunds;
  /** The clock retries it, so that it must not block other invoices. */
  readonly retriedElsewhere?: true;
  /** Completes the decision of an operator, who is also the actor of what follows. */
  readonly keepsActor?: true;
}

/** Credits the account first, then changes the invoice according to the reply of the ledger. */
export interface CreditStep {
  readonly credit: DepositFunds;
  readonly then: (refusal: Refusal | undefined) => InvoiceCommand;
}

/**
 * The next step of an invoice: allocate a pay address, or credit a payment. In between the invoice waits for the chain or for
 * an operator. All steps are idempotent, so that after a crash the process resumes from the stored phase.
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

/** The events that have consequences. */
export const invoiceTriggers = [
  'InvoiceOpened',
  'PayAmountClaimed',
  'DepositMatched',
  'ClaimLost',
  'InvoicePaid',
  'InvoiceCanceled',
  'InvoiceResolved',
  'PaymentLeftOver',
  'DepositResolved',
] as const;

export type InvoiceTrigger = Extract<InvoiceEvent | AddressEvent, { type: (typeof invoiceTriggers)[number] }>;

/** The categories of these events. */
export const invoiceTriggerCategories = ['invoices', 'address'] as const;

/** Repeats the step after an event, because the process may have crashed before it. */
export function reactTo(event: InvoiceTrigger): readonly CommandStep[] {
  switch (event.type) {
    case 'InvoiceOpened':
    case 'InvoicePaid':
      return [advance(event.data)];
    case 'InvoiceCanceled': {
      const { address, invoiceId, expiresAt } = event.data;
      if (address === undefined) return [];
      return [atAddress({ type: 'ShortenClaim', data: { address, invoiceId, expiresAt } })];
    }
    case 'PayAmountClaimed': {
      const { accountId, invoiceId, address, payAmount } = event.data;
      return [onAccount({ type: 'IssueInvoice', data: { accountId, invoiceId, address, payAmount } })];
    }
    case 'DepositMatched': {
      const { accountId, invoiceId, address, deposit, late } = event.data;
      const settlement = settlementBy(deposit);
      const data = { accountId, invoiceId, address, depositId: deposit.depositId, late, settlement };
      return [onAccount({ type: 'RecordPayment', data })];
    }
    case 'ClaimLost': {
      const { accountId, invoiceId, address } = event.data;
      return [onAccount({ type: 'ExpireInvoice', data: { accountId, invoiceId, address } })];
    }
    case 'InvoiceResolved':
      return event.data.outcome === 'completed' ? [{ ...advance(event.data), keepsActor: true }] : [];
    case 'PaymentLeftOver': {
      const { address, depositId, invoiceId, requestId } = event.data;
      return [atAddress({ type: 'ReturnDeposit', data: { address, depositId, invoiceId, requestId } })];
    }
    case 'DepositResolved': {
      const { outcome, accountId, invoiceId, address, depositId, note, requestId, settlement } = event.data;
      if (outcome === 'failed' || accountId === undefined || invoiceId === undefined) return [];
      const deposit = { address, depositId, settlement };
      const data = { accountId, invoiceId, ...deposit, note, requestId, ...decisionIn(event.data) };
      return [{ ...onAccount({ type: 'AttributeDeposit', data }), keepsActor: true }];
    }
    default:
      return assertNever(event);
  }
}

/** Uses the invoice id as the deposit id, so that the ledger books it once and always replies the same. */
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

function atAddress(command: AddressCommand): CommandStep {
  return { context: 'invoicing', key: command.data.address, command };
}

function onAccount(command: InvoiceCommand | AdvanceInvoice): CommandStep {
  return { context: 'invoicing', key: command.data.accountId, command };
}
