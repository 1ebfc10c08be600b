import {
  type Aggregate,
  assertNever,
  decisionIn,
  idempotencyConflict,
  isDecided,
  type OperatorDecision,
  parseMoney,
  type Refusal,
  refuse,
} from '@florin/kernel';
import { currentAnswer, firstAnswer } from './invoice-answer';
import { canceled, completed, expired, failed, issued, leftOver, paid, resolved, sentToReview } from './invoice-events';
import {
  type AbandonInvoice,
  type AttributeDeposit,
  type CancelInvoice,
  type InvoiceAnswer,
  type InvoiceCommand,
  type InvoiceEvent,
  invoiceEventVersions,
  type InvoiceRefusal,
  type IssueInvoice,
  type OpenInvoice,
  type RecordPayment,
  type ResolveInvoice,
  type ReviewInvoice,
} from './invoice.messages';
import { type Decision, decideRecalled, invoiceForgotten, withRecalled } from './invoice-recall';
import {
  evolveInvoices,
  initialInvoices,
  type Invoice,
  type InvoicesState,
  leftOverKey,
  statusOf,
} from './invoice.state';

/** The invoices of one account, so that no race can open a second invoice before the first is resolved. */
export const invoiceAggregate: Aggregate<InvoicesState, InvoiceCommand, InvoiceEvent, InvoiceRefusal, InvoiceAnswer> = {
  category: 'invoices',
  stateVersion: 2,
  versions: invoiceEventVersions,
  initialState: initialInvoices,
  evolve: evolveInvoices,
  decide,
  answer,
};

function decide(command: InvoiceCommand, state: InvoicesState): Decision {
  const { invoiceId } = command.data;
  if (command.type === 'RecallInvoice') return decideRecalled(command, state, decide);
  if (state.forgotten.has(invoiceId)) {
    // Not recalled, because clients could cause that.
    return command.type === 'CancelInvoice' ? notCancelable(invoiceId, 'has ended') : invoiceForgotten(invoiceId);
  }
  if (command.type === 'OpenInvoice') return open(command, state);
  const invoice = state.invoices.get(invoiceId);
  if (invoice === undefined) return refuse('not_found', `There is no invoice ${invoiceId}`);
  switch (command.type) {
    case 'IssueInvoice':
      return issue(command, invoice);
    case 'AbandonInvoice':
      return abandon(command, invoice);
    case 'RecordPayment':
      return recordPayment(command, invoice);
    case 'AttributeDeposit':
      return attributeDeposit(command, invoice);
    case 'CancelInvoice':
      return cancel(command, invoice);
    case 'ExpireInvoice':
      return expire(command.data.address, invoice);
    case 'CompleteInvoice':
      return complete(invoice);
    case 'ReviewInvoice':
      return review(command, invoice);
    case 'ResolveInvoice':
      return resolve(command, invoice);
    default:
      return assertNever(command);
  }
}

function open({ data }: OpenInvoice, { invoices, unresolved }: InvoicesState): Decision {
  const known = invoices.get(data.invoiceId);
  if (known?.terms.fingerprint === data.fingerprint) return [];
  if (known !== undefined) return idempotencyConflict();
  for (const invoiceId of unresolved) {
    const message = `Invoice ${invoiceId} is not resolved yet. Pay or cancel it, or wait until it expires or is reviewed`;
    return refuse('unresolved_invoice_exists', message);
  }
  return [{ type: 'InvoiceOpened', data }];
}

/** Replies to `OpenInvoice` with the invoice as first returned, and to other commands with the current invoice. */
function answer(state: InvoicesState, { type, data }: InvoiceCommand): InvoiceAnswer {
  if (type === 'OpenInvoice') return firstAnswer(state, data.invoiceId);
  if (type !== 'RecallInvoice') return currentAnswer(state, data.invoiceId);
  const isForgotten = state.forgotten.has(data.invoiceId);
  return answer(isForgotten ? withRecalled(state, data.invoice) : state, data.command);
}

/** Ignores a second address, and one that comes too late: its amount stays claimed, but is never published. */
function issue({ data: { address, payAmount } }: IssueInvoice, invoice: Invoice): Decision {
  if (invoice.phase !== 'creating') return [];
  return [issued(invoice, { address, payAmount })];
}

function abandon({ data: { reason } }: AbandonInvoice, invoice: Invoice): Decision {
  return invoice.phase === 'creating' ? [failed(invoice, reason)] : [];
}

/** A deposit at another address than the issued one has an amount that was never published. */
function recordPayment({ data }: RecordPayment, invoice: Invoice): Decision {
  const { address, depositId } = data;
  if (invoice.depositId === depositId || isLeftOver(invoice, { depositId })) return [];
  if (invoice.phase === 'creating') return wrongStatus(invoice, 'it has no address yet; try again once it has one');
  if (invoice.payment?.address !== address) return [leftOver(invoice, data)];
  switch (invoice.phase) {
    case 'pending':
      return isLate(data, invoice) ? [sentToReview(invoice, latePayment, data)] : [paid(invoice, data)];
    case 'expired':
      return [sentToReview(invoice, latePayment, data)];
    default:
      return [leftOver(invoice, data)];
  }
}

/** The address may have matched the payment before it knew that the invoice was canceled. */
function isLate({ late, settlement }: RecordPayment['data'], { expiresAt }: Invoice): boolean {
  return late || (settlement !== undefined && settlement.blockTime >= expiresAt);
}

const latePayment = 'Paid after it had expired';

/**
 * An invoice in review has another deposit, so this one is left over, like after the end. A deposit that was left over
 * before can be attributed.
 */
function attributeDeposit({ data }: AttributeDeposit, invoice: Invoice): Decision {
  const { note, requestId } = data;
  if (invoice.depositId === data.depositId) return [];
  if (invoice.phase === 'creating') return wrongStatus(invoice, 'it has no pay address yet');
  if (!isAttributable(invoice)) return isLeftOver(invoice, data) ? [] : [leftOver(invoice, data)];
  const reason = `A deposit was attributed: ${note}`;
  // Whether enough operators have decided was checked before the decision about the deposit was stored.
  const resolution = { outcome: 'completed', note, requestId, ...decisionIn(data) } as const;
  return [sentToReview(invoice, reason, data), resolved(invoice, resolution)];
}

/** Whether an operator may attribute a deposit to it. */
export function isAttributable({ phase }: Pick<Invoice, 'phase'>): boolean {
  return phase === 'pending' || phase === 'expired';
}

/** Without an address it cannot have been paid. With one, it expires once the chain was read up to that time. */
function cancel({ data }: CancelInvoice, invoice: Invoice): Decision {
  if (invoice.canceledBy === data.requestId) return [];
  switch (invoice.phase) {
    case 'creating': {
      const reason = 'Canceled before it had a pay address';
      return [canceled(invoice, data), failed({ ...invoice, expiresAt: data.canceledAt }, reason)];
    }
    case 'pending':
      // It never expires later than promised, nor earlier than the first request said.
      if (invoice.canceledBy !== undefined || data.canceledAt >= invoice.expiresAt) return [];
      return [canceled(invoice, data)];
    case 'paid':
      return wrongStatus(invoice, 'it was paid before it could be canceled');
    default:
      return notCancelable(invoice.terms.invoiceId, `is ${statusOf(invoice)}`);
  }
}

function notCancelable(invoiceId: string, why: string): Refusal<InvoiceRefusal> {
  return refuse('wrong_status', `Invoice ${invoiceId} ${why}: only a pending invoice can be canceled`);
}

function expire(address: string, invoice: Invoice): Decision {
  const isOwn = invoice.phase === 'pending' && invoice.payment?.address === address;
  return isOwn ? [expired(invoice)] : [];
}

/** The credit is booked, which overrides a review from before. */
function complete(invoice: Invoice): Decision {
  switch (invoice.phase) {
    case 'completed':
      return [];
    case 'paid':
    case 'review':
      return [completed(invoice)];
    default:
      return wrongStatus(invoice, 'it is not paid');
  }
}

/** Ignores a reply of the ledger from before the last review, because an operator has decided since. */
function review({ data: { reason, reviews } }: ReviewInvoice, invoice: Invoice): Decision {
  switch (invoice.phase) {
    case 'paid':
      return invoice.reviews === reviews ? [sentToReview(invoice, reason)] : [];
    case 'review':
    case 'completed':
    case 'failed':
      return [];
    default:
      return wrongStatus(invoice, 'it is not paid');
  }
}

/** A repeated decision is recorded, too: otherwise its duplicate could resolve the next review. */
function resolve({ data }: ResolveInvoice, invoice: Invoice): Decision {
  const { outcome, note, requestId } = data;
  const refusal = outcome === 'completed' ? refuseUndecided(invoice, data) : undefined;
  if (invoice.granted?.includes(requestId)) return [];
  if (invoice.resolution === outcome) return invoice.phase === 'paid' ? (refusal ?? [resolved(invoice, data)]) : [];
  if (invoice.resolution !== undefined) {
    return refuse(
      'review_resolved',
      `Invoice ${invoice.terms.invoiceId} was resolved as ${invoice.resolution} already`,
    );
  }
  if (invoice.phase !== 'review') return wrongStatus(invoice, 'only one in manual_review can be resolved');
  if (refusal !== undefined) return refusal;
  return outcome === 'completed' ? [resolved(invoice, data)] : [resolved(invoice, data), failed(invoice, note)];
}

/** Refuses to complete the invoice if it takes more operators. */
export function refuseUndecided(
  { terms: { invoiceId, depositAmount } }: Pick<Invoice, 'terms'>,
  decision: Partial<OperatorDecision>,
): Refusal<'not_four_eyes'> | undefined {
  if (isDecided(parseMoney(depositAmount), decision)) return undefined;
  const message = `To credit ${depositAmount} for invoice ${invoiceId} takes a proposal and a confirmation by another operator`;
  return refuse('not_four_eyes', message);
}

function isLeftOver({ leftOver: rest }: Invoice, deposit: { depositId: string; requestId?: string }): boolean {
  return rest?.includes(leftOverKey(deposit)) ?? false;
}

function wrongStatus(invoice: Invoice, why: string): Refusal<InvoiceRefusal> {
  return refuse('wrong_status', `Invoice ${invoice.terms.invoiceId} is ${statusOf(invoice)}: ${why}`);
}
