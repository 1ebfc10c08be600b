import {
  type Command,
  type DomainEvent,
  type EventVersions,
  type MoneyText,
  type OperatorDecision,
  type UsdtText,
  withoutOperators,
} from '@florin/kernel';

export const invoiceStatuses = ['creating', 'pending', 'completed', 'expired', 'failed', 'manual_review'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** The terms of the request. They never change. */
export interface InvoiceTerms {
  readonly invoiceId: string;
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  /** The account to credit. */
  readonly accountId: string;
  readonly depositAmount: MoneyText;
  readonly fee: MoneyText;
  readonly creditAmount: MoneyText;
  readonly expiresAt: string;
  readonly createdAt: string;
  /** Identifies the content of the request, so that another request with the same id is refused. */
  readonly fingerprint: string;
}

/** The pay address and the exact amount. */
export interface PaymentDetails {
  readonly address: string;
  readonly payAmount: UsdtText;
}

/** An invoice that has ended, with everything that later commands about it depend on. */
export interface EndedInvoice {
  readonly terms: InvoiceTerms;
  readonly phase: 'completed' | 'expired' | 'failed';
  readonly payment?: PaymentDetails;
  readonly depositId?: string;
  readonly leftOver?: readonly string[];
  readonly reviews: number;
  readonly granted?: readonly string[];
  readonly resolution?: 'completed' | 'failed';
  readonly events: number;
}

type Of<Data = unknown> = Data & { readonly accountId: string; readonly invoiceId: string };

/**
 * The request of a client. Sets fee and times, allocates a pay address, and replies with the invoice as first returned. Not
 * a command of the decider.
 */
export type RequestInvoice = Command<
  'RequestInvoice',
  Pick<InvoiceTerms, 'invoiceId' | 'companyId' | 'environment' | 'accountId' | 'fingerprint'> & {
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
  Of<{ readonly address: string; readonly depositId: string; readonly late: boolean }>
>;
/**
 * An operator attributed a deposit to this invoice that differs in amount or address. `requestId` identifies the decision.
 */
export type AttributeDeposit = Command<
  'AttributeDeposit',
  Of<{ readonly address: string; readonly depositId: string; readonly note: string; readonly requestId?: string }> &
    Partial<OperatorDecision>
>;
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
  'ExpireInvoice',
  'CompleteInvoice',
  'ReviewInvoice',
  'ResolveInvoice',
] as const satisfies readonly InvoiceCommand['type'][];

export type InvoiceOpened = DomainEvent<'InvoiceOpened', InvoiceTerms>;
/** The invoice can be paid. Contains the whole invoice, so that readers need no earlier event. */
export type InvoiceIssued = DomainEvent<'InvoiceIssued', Omit<InvoiceTerms, 'fingerprint'> & PaymentDetails>;
/** Paid in time. The status changes only after the credit. */
export type InvoicePaid = DomainEvent<'InvoicePaid', Of<{ readonly depositId: string }>>;
export type InvoiceCompleted = DomainEvent<'InvoiceCompleted', Of>;
export type InvoiceExpired = DomainEvent<'InvoiceExpired', Of>;
/** Contains the whole invoice, because it may never have been issued. */
export type InvoiceFailed = DomainEvent<
  'InvoiceFailed',
  Omit<InvoiceTerms, 'fingerprint'> & { readonly reason: string }
>;
export type InvoiceSentToReview = DomainEvent<
  'InvoiceSentToReview',
  Of<{ readonly reason: string; readonly depositId?: string }>
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
  | InvoiceCompleted
  | InvoiceExpired
  | InvoiceFailed
  | InvoiceSentToReview
  | PaymentLeftOver
  | InvoiceResolved
  | InvoiceRecalled;

export const invoiceEventVersions: EventVersions<InvoiceEvent> = {
  InvoiceOpened: [],
  InvoiceIssued: [],
  InvoicePaid: [],
  InvoiceCompleted: [],
  InvoiceExpired: [],
  InvoiceFailed: [],
  InvoiceSentToReview: [],
  PaymentLeftOver: [],
  InvoiceResolved: [withoutOperators],
  InvoiceRecalled: [],
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

/** The invoice as in the API. */
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
