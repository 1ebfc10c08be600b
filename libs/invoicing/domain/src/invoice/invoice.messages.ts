import {
  type Command,
  type DomainEvent,
  type EventVersions,
  type MoneyText,
  type OperatorDecision,
  type Upcaster,
  withoutOperators,
} from '@florin/kernel';
import type { Settlement } from '../address/address.messages';
import type { EndedInvoice, InvoiceTerms, PaymentDetails } from './invoice-terms';

export * from './invoice-terms';

type Of<Data = unknown> = Data & { readonly accountId: string; readonly invoiceId: string };

/**
 * The request of a client. Sets fee and times, allocates a pay address, and replies with the invoice as first returned. Not
 * a command of the decider.
 */
export type RequestInvoice = Command<
  'RequestInvoice',
  Pick<
    InvoiceTerms,
    'invoiceId' | 'companyId' | 'environment' | 'accountId' | 'paymentUrl' | 'metadata' | 'fingerprint'
  > & {
    readonly amount: MoneyText;
  }
>;
/** Simulates the payment of a sandbox invoice. Not a command of the decider. */
export type PaySandboxInvoice = Command<'PaySandboxInvoice', Of>;
/** Executes the next step of an invoice. Idempotent. Not a command of the decider. */
export type AdvanceInvoice = Command<'AdvanceInvoice', Of>;

export type OpenInvoice = Command<'OpenInvoice', InvoiceTerms>;
export type IssueInvoice = Command<'IssueInvoice', Of<PaymentDetails>>;
/** No pay address could be allocated. */
export type AbandonInvoice = Command<'AbandonInvoice', Of<{ readonly reason: string }>>;
/** A deposit of the exact amount was recorded. `late`: an operator decides. */
export type RecordPayment = Command<
  'RecordPayment',
  Of<{
    readonly address: string;
    readonly depositId: string;
    readonly late: boolean;
    /** Absent in commands of the previous release. */
    readonly settlement?: Settlement;
  }>
>;
/**
 * An operator attributed a deposit to this invoice that differs in amount or address. `requestId` identifies the decision.
 */
export type AttributeDeposit = Command<
  'AttributeDeposit',
  Of<{
    readonly address: string;
    readonly depositId: string;
    readonly note: string;
    readonly requestId?: string;
    /** Absent in commands of the previous release. */
    readonly settlement?: Settlement;
  }> &
    Partial<OperatorDecision>
>;
/**
 * The request of a client to end the invoice early: only a payment before `canceledAt` still counts. `requestId` identifies
 * the request.
 */
export type CancelInvoice = Command<'CancelInvoice', Of<{ readonly requestId: string; readonly canceledAt: string }>>;
export type ExpireInvoice = Command<'ExpireInvoice', Of<{ readonly address: string }>>;
/** The credit is booked on the account. */
export type CompleteInvoice = Command<'CompleteInvoice', Of>;
/** The ledger refused the credit, after `reviews` reviews. */
export type ReviewInvoice = Command<'ReviewInvoice', Of<{ readonly reason: string; readonly reviews: number }>>;
/** Each request is executed once: it must not resolve a later review. From the four-eyes amount on, two operators complete. */
export type ResolveInvoice = Command<
  'ResolveInvoice',
  Of<{ readonly outcome: 'completed' | 'failed'; readonly note: string; readonly requestId: string }> & OperatorDecision
>;

/** A command about an invoice that the state has forgotten, with the invoice from the log. Not sent over the bus. */
export type RecallInvoice = Command<
  'RecallInvoice',
  Of<{ readonly invoice: EndedInvoice; readonly command: InvoiceCommand }>
>;

export type InvoiceCommand =
  | OpenInvoice
  | IssueInvoice
  | AbandonInvoice
  | RecordPayment
  | AttributeDeposit
  | CancelInvoice
  | ExpireInvoice
  | CompleteInvoice
  | ReviewInvoice
  | ResolveInvoice
  | RecallInvoice;

/** The commands that other services and processes may send. */
export const invoiceCommandTypes = [
  'OpenInvoice',
  'IssueInvoice',
  'AbandonInvoice',
  'RecordPayment',
  'AttributeDeposit',
  'CancelInvoice',
  'ExpireInvoice',
  'CompleteInvoice',
  'ReviewInvoice',
  'ResolveInvoice',
] as const satisfies readonly InvoiceCommand['type'][];

/** In events that publish the invoice, so that readers need no earlier event. */
interface CanceledExpiry {
  /** Set if the invoice was canceled. */
  readonly expiresAt?: string;
}

export type InvoiceOpened = DomainEvent<'InvoiceOpened', InvoiceTerms>;
/** The invoice can be paid. Contains the whole invoice, so that readers need no earlier event. */
export type InvoiceIssued = DomainEvent<'InvoiceIssued', Omit<InvoiceTerms, 'fingerprint'> & PaymentDetails>;
/** Paid in time. The status changes only after the credit. Old events have no settlement. */
export type InvoicePaid = DomainEvent<
  'InvoicePaid',
  Of<{ readonly depositId: string; readonly settlement?: Settlement }>
>;
/** The invoice expires earlier, at `expiresAt`, unless it was paid before. It has no address if it was never issued. */
export type InvoiceCanceled = DomainEvent<
  'InvoiceCanceled',
  Of<{ readonly requestId: string; readonly expiresAt: string; readonly address?: string }>
>;
/** Old events have no settlement. */
export type InvoiceCompleted = DomainEvent<
  'InvoiceCompleted',
  Of<{ readonly settlement?: Settlement } & CanceledExpiry>
>;
export type InvoiceExpired = DomainEvent<'InvoiceExpired', Of<CanceledExpiry>>;
/** Contains the whole invoice, because it may never have been issued. */
export type InvoiceFailed = DomainEvent<
  'InvoiceFailed',
  Omit<InvoiceTerms, 'fingerprint'> & { readonly reason: string }
>;
export type InvoiceSentToReview = DomainEvent<
  'InvoiceSentToReview',
  /** Old events have no settlement. */
  Of<{ readonly reason: string; readonly depositId?: string; readonly settlement?: Settlement } & CanceledExpiry>
>;
/**
 * A deposit for an invoice that was paid by another one or had ended. It is not credited and goes to review. `requestId`
 * identifies the decision of an operator, if any.
 */
export type PaymentLeftOver = DomainEvent<
  'PaymentLeftOver',
  Of<{ readonly address: string; readonly depositId: string; readonly requestId?: string }>
>;
/** `failed` ends the invoice, `completed` is followed by the credit. Old events have no request id and name no operators. */
export type InvoiceResolved = DomainEvent<
  'InvoiceResolved',
  Of<{ readonly outcome: 'completed' | 'failed'; readonly note: string; readonly requestId?: string }> &
    Partial<OperatorDecision>
>;

/** The state remembers the invoice again. Nothing about the invoice has changed. */
export type InvoiceRecalled = DomainEvent<'InvoiceRecalled', Of<{ readonly invoice: EndedInvoice }>>;

export type InvoiceEvent =
  | InvoiceOpened
  | InvoiceIssued
  | InvoicePaid
  | InvoiceCanceled
  | InvoiceCompleted
  | InvoiceExpired
  | InvoiceFailed
  | InvoiceSentToReview
  | PaymentLeftOver
  | InvoiceResolved
  | InvoiceRecalled;

/** The previous version has neither a page for the payer nor metadata. */
const withoutPage: Upcaster = (data) => data;

/** The transfer of the previous version stays unknown, and no invoice was canceled. */
const withoutSettlement: Upcaster = (data) => data;

export const invoiceEventVersions: EventVersions<InvoiceEvent> = {
  InvoiceOpened: [withoutPage],
  InvoiceIssued: [withoutPage],
  InvoicePaid: [withoutSettlement],
  InvoiceCanceled: [],
  InvoiceCompleted: [withoutSettlement],
  InvoiceExpired: [withoutSettlement],
  InvoiceFailed: [withoutPage],
  InvoiceSentToReview: [withoutSettlement],
  PaymentLeftOver: [],
  InvoiceResolved: [withoutOperators],
  InvoiceRecalled: [withoutSettlement],
};

export type InvoiceRefusal =
  | 'idempotency_conflict'
  | 'unresolved_invoice_exists'
  | 'amount_below_minimum'
  /** Unknown, or of another account: clients cannot distinguish the two. */
  | 'not_found'
  /** Its status does not allow this. */
  | 'wrong_status'
  /** It was resolved differently. */
  | 'review_resolved'
  /** It takes two different operators to complete an invoice of this amount. */
  | 'not_four_eyes'
  /** It has ended long ago: recall it and repeat the command. */
  | 'invoice_forgotten';
