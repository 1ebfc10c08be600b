import type { Command, DomainEvent, EventVersions, MoneyText, UsdtText } from '@florin/kernel';

export const invoiceStatuses = ['creating', 'pending', 'completed', 'expired', 'failed', 'manual_review'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** What was asked for. It never changes. */
export interface InvoiceTerms {
  readonly invoiceId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  /** The account that is credited. */
  readonly accountId: string;
  readonly depositAmount: MoneyText;
  readonly fee: MoneyText;
  readonly creditAmount: MoneyText;
  readonly expiresAt: string;
  readonly createdAt: string;
  /** Tells a repeat of the same request from another request under the same id. */
  readonly fingerprint: string;
}

/** Where to pay, and exactly how much. */
export interface PaymentDetails {
  readonly address: string;
  readonly payAmount: UsdtText;
}

type Of<Data = unknown> = Data & { readonly accountId: string; readonly invoiceId: string };

/**
 * A client's wish, answered with the invoice as it was first answered: finds a place to pay, and sets the fee and the
 * times. Not a command of the decider.
 */
export type RequestInvoice = Command<
  'RequestInvoice',
  Pick<InvoiceTerms, 'invoiceId' | 'companyId' | 'environment' | 'accountId' | 'fingerprint'> & {
    readonly amount: MoneyText;
  }
>;
/** Simulates the payment of a sandbox invoice; answered with the invoice as it then is. Not a command of the decider. */
export type PaySandboxInvoice = Command<'PaySandboxInvoice', Of>;
/** Does whatever has to happen next with an invoice. Anybody may ask, any number of times. Not a command of the decider. */
export type AdvanceInvoice = Command<'AdvanceInvoice', Of>;

export type OpenInvoice = Command<'OpenInvoice', InvoiceTerms>;
export type IssueInvoice = Command<'IssueInvoice', Of<PaymentDetails>>;
/** No place to pay could be found. */
export type AbandonInvoice = Command<'AbandonInvoice', Of<{ readonly reason: string }>>;
/** A deposit of exactly the amount arrived. `late`: an operator decides. */
export type RecordPayment = Command<
  'RecordPayment',
  Of<{ readonly address: string; readonly depositId: string; readonly late: boolean }>
>;
/**
 * An operator found that a deposit pays this invoice after all, though not with the amount or at the address asked for.
 * `requestId` is that of the decision.
 */
export type AttributeDeposit = Command<
  'AttributeDeposit',
  Of<{ readonly address: string; readonly depositId: string; readonly note: string; readonly requestId?: string }>
>;
export type ExpireInvoice = Command<'ExpireInvoice', Of<{ readonly address: string }>>;
/** Follows the credit on the account. */
export type CompleteInvoice = Command<'CompleteInvoice', Of>;
/** The ledger would not take the credit, when the invoice had been in review so often. */
export type ReviewInvoice = Command<'ReviewInvoice', Of<{ readonly reason: string; readonly reviews: number }>>;
/** Each request is carried out once: it must not decide about a review that was opened after it. */
export type ResolveInvoice = Command<
  'ResolveInvoice',
  Of<{ readonly outcome: 'completed' | 'failed'; readonly note: string; readonly requestId: string }>
>;

export type InvoiceCommand =
  | OpenInvoice
  | IssueInvoice
  | AbandonInvoice
  | RecordPayment
  | AttributeDeposit
  | ExpireInvoice
  | CompleteInvoice
  | ReviewInvoice
  | ResolveInvoice;

export const invoiceCommandTypes = [
  'OpenInvoice',
  'IssueInvoice',
  'AbandonInvoice',
  'RecordPayment',
  'AttributeDeposit',
  'ExpireInvoice',
  'CompleteInvoice',
  'ReviewInvoice',
  'ResolveInvoice',
] as const satisfies readonly InvoiceCommand['type'][];

export type InvoiceOpened = DomainEvent<'InvoiceOpened', InvoiceTerms>;
/** From here on it can be paid. It says all about the invoice, so that nobody has to look back. */
export type InvoiceIssued = DomainEvent<'InvoiceIssued', Omit<InvoiceTerms, 'fingerprint'> & PaymentDetails>;
/** Paid as asked for: the credit is to follow. The status changes only after it. */
export type InvoicePaid = DomainEvent<'InvoicePaid', Of<{ readonly depositId: string }>>;
export type InvoiceCompleted = DomainEvent<'InvoiceCompleted', Of>;
export type InvoiceExpired = DomainEvent<'InvoiceExpired', Of>;
/** It is whole where the invoice never came to be issued, so that nobody has to look back. */
export type InvoiceFailed = DomainEvent<
  'InvoiceFailed',
  Omit<InvoiceTerms, 'fingerprint'> & { readonly reason: string }
>;
export type InvoiceSentToReview = DomainEvent<
  'InvoiceSentToReview',
  Of<{ readonly reason: string; readonly depositId?: string }>
>;
/**
 * A deposit came for it when it had been paid by another one, or had ended: it credits nothing, and has to be looked at.
 * `requestId` is that of the decision, where an operator had attributed it.
 */
export type PaymentLeftOver = DomainEvent<
  'PaymentLeftOver',
  Of<{ readonly address: string; readonly depositId: string; readonly requestId?: string }>
>;
/** `failed` is followed by the end at once, `completed` by the credit. Older events have no request id. */
export type InvoiceResolved = DomainEvent<
  'InvoiceResolved',
  Of<{ readonly outcome: 'completed' | 'failed'; readonly note: string; readonly requestId?: string }>
>;

export type InvoiceEvent =
  | InvoiceOpened
  | InvoiceIssued
  | InvoicePaid
  | InvoiceCompleted
  | InvoiceExpired
  | InvoiceFailed
  | InvoiceSentToReview
  | PaymentLeftOver
  | InvoiceResolved;

export const invoiceEventVersions: EventVersions<InvoiceEvent> = {
  InvoiceOpened: [],
  InvoiceIssued: [],
  InvoicePaid: [],
  InvoiceCompleted: [],
  InvoiceExpired: [],
  InvoiceFailed: [],
  InvoiceSentToReview: [],
  PaymentLeftOver: [],
  InvoiceResolved: [],
};

export type InvoiceRefusal =
  | 'idempotency_conflict'
  | 'unresolved_invoice_exists'
  | 'amount_below_minimum'
  /** Unknown, or another account's: nobody can tell the two apart. */
  | 'not_found'
  /** Its status does not allow this any more. */
  | 'wrong_status'
  /** It was resolved the other way. */
  | 'review_resolved';

/** The invoice as clients see it. */
export interface InvoiceAnswer {
  readonly id: string;
  readonly environment: 'sandbox' | 'live';
  readonly status: InvoiceStatus;
  readonly depositAmount: MoneyText;
  readonly fee: MoneyText;
  readonly creditAmount: MoneyText;
  readonly address: string | null;
  readonly payAmount: UsdtText | null;
  readonly asset: 'USDT';
  readonly network: 'TRON';
  readonly expiresAt: string | null;
  readonly createdAt: string;
}
