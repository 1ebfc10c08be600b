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
import {
  type AbandonInvoice,
  type AttributeDeposit,
  type InvoiceAnswer,
  type InvoiceCommand,
  type InvoiceEvent,
  invoiceEventVersions,
  type InvoiceFailed,
  type InvoiceRefusal,
  type InvoiceResolved,
  type IssueInvoice,
  type OpenInvoice,
  type PaymentLeftOver,
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
  stateVersion: 1,
  versions: invoiceEventVersions,
  initialState: initialInvoices,
  evolve: evolveInvoices,
  decide,
  answer,
};

function decide(command: InvoiceCommand, state: InvoicesState): Decision {
  const { invoiceId } = command.data;
  if (command.type === 'RecallInvoice') return decideRecalled(command, state, decide);
  if (state.forgotten.has(invoiceId)) return invoiceForgotten(invoiceId);
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
    const message = `Invoice ${invoiceId} is not resolved yet. Pay it, or wait until it expires or is reviewed`;
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
  return [{ type: 'InvoiceIssued', data: { ...factsOf(invoice), address, payAmount } }];
}

function abandon({ data: { reason } }: AbandonInvoice, invoice: Invoice): Decision {
  return invoice.phase === 'creating' ? [failed(invoice, reason)] : [];
}

/** A deposit at another address than the issued one has an amount that was never published. */
function recordPayment({ data }: RecordPayment, invoice: Invoice): Decision {
  const { address, depositId, late } = data;
  if (invoice.depositId === depositId || isLeftOver(invoice, { depositId })) return [];
  if (invoice.phase === 'creating') return wrongStatus(invoice, 'it has no address yet; try again once it has one');
  if (invoice.payment?.address !== address) return [leftOver(invoice, data)];
  switch (invoice.phase) {
    case 'pending':
      return late ? [sentToReview(invoice, latePayment, depositId)] : [paid(invoice, depositId)];
    case 'expired':
      return [sentToReview(invoice, latePayment, depositId)];
    default:
      return [leftOver(invoice, data)];
  }
}

const latePayment = 'Paid after it had expired';

/**
 * An invoice in review has another deposit, so this one is left over, like after the end. A deposit that was left over
 * before can be attributed.
 */
function attributeDeposit({ data }: AttributeDeposit, invoice: Invoice): Decision {
  const { depositId, note, requestId } = data;
  if (invoice.depositId === depositId) return [];
  if (invoice.phase === 'creating') return wrongStatus(invoice, 'it has no pay address yet');
  if (!isAttributable(invoice)) return isLeftOver(invoice, data) ? [] : [leftOver(invoice, data)];
  const reason = `A deposit was attributed: ${note}`;
  // Whether enough operators have decided was checked before the decision about the deposit was stored.
  const resolution = { outcome: 'completed', note, requestId, ...decisionIn(data) } as const;
  return [sentToReview(invoice, reason, depositId), resolved(invoice, resolution)];
}

/** Whether an operator may attribute a deposit to it. */
export function isAttributable({ phase }: Pick<Invoice, 'phase'>): boolean {
  return phase === 'pending' || phase === 'expired';
}

function expire(address: string, invoice: Invoice): Decision {
  const isOwn = invoice.phase === 'pending' && invoice.payment?.address === address;
  return isOwn ? [{ type: 'InvoiceExpired', data: idsOf(invoice) }] : [];
}

/** The credit is booked, which overrides a review from before. */
function complete(invoice: Invoice): Decision {
  switch (invoice.phase) {
    case 'completed':
      return [];
    case 'paid':
    case 'review':
      return [{ type: 'InvoiceCompleted', data: idsOf(invoice) }];
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

type Resolution = Omit<InvoiceResolved['data'], 'accountId' | 'invoiceId'>;

function resolved(invoice: Invoice, resolution: Resolution): InvoiceResolved {
  const { outcome, note, requestId } = resolution;
  const request = requestId === undefined ? {} : { requestId };
  return { type: 'InvoiceResolved', data: { ...idsOf(invoice), outcome, note, ...request, ...decisionIn(resolution) } };
}

function paid(invoice: Invoice, depositId: string): InvoiceEvent {
  return { type: 'InvoicePaid', data: { ...idsOf(invoice), depositId } };
}

function sentToReview(invoice: Invoice, reason: string, depositId?: string): InvoiceEvent {
  const data = { ...idsOf(invoice), reason };
  return { type: 'InvoiceSentToReview', data: depositId === undefined ? data : { ...data, depositId } };
}

type DepositThere = Pick<PaymentLeftOver['data'], 'address' | 'depositId' | 'requestId'>;

function leftOver(invoice: Invoice, { address, depositId, requestId }: DepositThere): PaymentLeftOver {
  const request = requestId === undefined ? {} : { requestId };
  return { type: 'PaymentLeftOver', data: { ...idsOf(invoice), address, depositId, ...request } };
}

function failed(invoice: Invoice, reason: string): InvoiceFailed {
  return { type: 'InvoiceFailed', data: { ...factsOf(invoice), reason } };
}

function wrongStatus(invoice: Invoice, why: string): Refusal<InvoiceRefusal> {
  return refuse('wrong_status', `Invoice ${invoice.terms.invoiceId} is ${statusOf(invoice)}: ${why}`);
}

function idsOf({ terms: { accountId, invoiceId } }: Invoice): { accountId: string; invoiceId: string } {
  return { accountId, invoiceId };
}

function factsOf({ terms: { fingerprint: _, ...facts } }: Invoice): Omit<Invoice['terms'], 'fingerprint'> {
  return facts;
}
