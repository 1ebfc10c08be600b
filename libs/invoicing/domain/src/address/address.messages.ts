import {
  type Command,
  type DomainEvent,
  type EventVersions,
  type MoneyText,
  type OperatorDecision,
  type Upcaster,
  type UsdtText,
  withoutOperators,
} from '@florin/kernel';

/** A transfer to an address. `depositId` is derived from the transaction id and the log index. */
export interface Deposit {
  readonly depositId: string;
  readonly transactionId: string;
  readonly logIndex: number;
  readonly from: string;
  readonly amount: UsdtText;
  readonly blockNumber: number;
  readonly blockTime: string;
}

/** The transfer that paid an invoice. */
export type Settlement = Pick<Deposit, 'transactionId' | 'blockNumber' | 'blockTime'>;

/** The claim of an invoice on one exact amount at an address. No other invoice has that amount during the watch period. */
export interface PaymentClaim {
  readonly invoiceId: string;
  readonly accountId: string;
  readonly payAmount: UsdtText;
  readonly claimedAt: string;
  readonly expiresAt: string;
  /** The end of the watch period, until which a late payment can be matched. */
  readonly watchedUntil: string;
}

type At<Data = unknown> = Data & { readonly address: string };

/**
 * Claims a distinct amount: the deposit amount plus a few millionths. `readTo` has the same meaning as in `CloseClaims` and is
 * set in the sandbox, where payments are recorded immediately.
 */
export type ClaimPayAmount = Command<
  'ClaimPayAmount',
  At<
    Omit<PaymentClaim, 'payAmount'> & {
      readonly depositAmount: MoneyText;
      /** The first amount to try, as a number below `distinctAmounts`. Random, so that a client cannot choose its amount. */
      readonly draw: number;
      readonly readTo?: string;
    }
  >
>;
export type RecordDeposit = Command<'RecordDeposit', At<{ readonly deposit: Deposit }>>;
/** The invoice was canceled: a deposit from `expiresAt` on is late. */
export type ShortenClaim = Command<'ShortenClaim', At<{ readonly invoiceId: string; readonly expiresAt: string }>>;
/** All payments before `readTo` are recorded. Unpaid claims that expired by then are lost. */
export type CloseClaims = Command<'CloseClaims', At<{ readonly readTo: string }>>;
interface DepositDecision {
  readonly depositId: string;
  readonly outcome: 'completed' | 'failed';
  readonly invoiceId?: string;
  /** The account of the invoice. */
  readonly accountId?: string;
  readonly note: string;
}

/**
 * The decision of operators about an unmatched deposit. `completed` has the invoice that the deposit pays, and takes two
 * operators from the four-eyes amount on.
 */
export type ResolveDeposit = Command<
  'ResolveDeposit',
  At<DepositDecision & OperatorDecision> &
    At<{
      /** Each request is executed once: it must not resolve a deposit that was returned since. */
      readonly requestId: string;
      readonly now: string;
    }>
>;
/**
 * The invoice of a deposit had ended before: the deposit goes to review. `requestId` identifies the decision that attributed
 * it; it is absent for a matched deposit.
 */
export type ReturnDeposit = Command<
  'ReturnDeposit',
  At<{ readonly depositId: string; readonly invoiceId: string; readonly requestId?: string }>
>;

export type AddressCommand =
  ClaimPayAmount | ShortenClaim | RecordDeposit | CloseClaims | ResolveDeposit | ReturnDeposit;

export const addressCommandTypes = [
  'ClaimPayAmount',
  'ShortenClaim',
  'RecordDeposit',
  'CloseClaims',
  'ResolveDeposit',
  'ReturnDeposit',
] as const satisfies readonly AddressCommand['type'][];

export type PayAmountClaimed = DomainEvent<'PayAmountClaimed', At<PaymentClaim>>;
/** A deposit of the exact amount of an invoice. `late`: after the expiry, so that it is not credited automatically. */
export type DepositMatched = DomainEvent<
  'DepositMatched',
  At<{
    readonly deposit: Deposit;
    readonly invoiceId: string;
    readonly accountId: string;
    readonly late: boolean;
  }>
>;
export type DepositUnmatched = DomainEvent<
  'DepositUnmatched',
  At<{
    readonly deposit: Deposit;
    /** `paid_already`: `invoiceId` has this amount and was paid before. */
    readonly reason: 'amount_unknown' | 'paid_already' | 'invoice_closed';
    readonly invoiceId?: string;
    /** Whether an operator has to decide, because the deposit may be meant for a watched invoice. */
    readonly forReview: boolean;
  }>
>;
/** The claim expires earlier. Its amount stays reserved until the same time. */
export type ClaimShortened = DomainEvent<
  'ClaimShortened',
  At<{ readonly invoiceId: string; readonly expiresAt: string }>
>;
/** All blocks up to the expiry were read without a payment. */
export type ClaimLost = DomainEvent<
  'ClaimLost',
  At<{ readonly invoiceId: string; readonly accountId: string; readonly readTo: string }>
>;
export type DepositResolved = DomainEvent<
  'DepositResolved',
  /** Old events name no operators. */
  At<DepositDecision & Partial<OperatorDecision>> &
    At<{
      /** Absent in old events. */
      readonly requestId?: string;
      readonly resolvedAt: string;
      /** The transfer that pays the invoice. Absent without an invoice, and in old events. */
      readonly settlement?: Settlement;
    }>
>;
/** The watch period of the oldest claims is over: their amounts can be reused. */
export type AmountsFreed = DomainEvent<'AmountsFreed', At<{ readonly readTo: string }>>;

export type AddressEvent =
  PayAmountClaimed | ClaimShortened | DepositMatched | DepositUnmatched | ClaimLost | DepositResolved | AmountsFreed;

/** The transfer of the previous version stays unknown. */
const withoutSettlement: Upcaster = (data) => data;

export const addressEventVersions: EventVersions<AddressEvent> = {
  PayAmountClaimed: [],
  ClaimShortened: [],
  DepositMatched: [],
  DepositUnmatched: [],
  ClaimLost: [],
  DepositResolved: [withoutOperators, withoutSettlement],
  AmountsFreed: [],
};

export type AddressRefusal =
  /** All distinct amounts are taken: use another address. */
  | 'address_full'
  /** No deposit with this id is or was in review here. */
  | 'deposit_unknown'
  /** It was resolved differently, or for another invoice. */
  | 'deposit_resolved'
  /** It takes two different operators to attribute a deposit of this amount. */
  | 'not_four_eyes';

/** The reply to commands of an address. */
export interface AddressAnswer {
  /** The amount of the invoice, for `ClaimPayAmount`. */
  readonly payAmount?: UsdtText;
  /** The paid invoice, for `RecordDeposit`. */
  readonly payment?: { readonly invoiceId: string; readonly late: boolean };
}
