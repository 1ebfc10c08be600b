import type { Command, DomainEvent, EventVersions, MoneyText, UsdtText } from '@florin/kernel';

/** What arrived at an address. `depositId` is made of the transaction's id and the log's place in it. */
export interface Deposit {
  readonly depositId: string;
  readonly transactionId: string;
  readonly logIndex: number;
  readonly from: string;
  readonly amount: UsdtText;
  readonly blockNumber: number;
  readonly blockTime: string;
}

/** An invoice's claim to one exact amount at an address: no other invoice has the same while it is watched. */
export interface PaymentClaim {
  readonly invoiceId: string;
  readonly accountId: string;
  readonly payAmount: UsdtText;
  readonly claimedAt: string;
  readonly expiresAt: string;
  /** Until then nobody else gets the amount, so that a late payment still tells whose it is. */
  readonly watchedUntil: string;
}

type At<Data = unknown> = Data & { readonly address: string };

/**
 * Asks for an amount that nobody else has here: the deposit plus a few millionths. `readTo` is what `CloseClaims` says, where
 * whoever asks knows it: in the sandbox every payment is recorded as it is made.
 */
export type ClaimPayAmount = Command<
  'ClaimPayAmount',
  At<Omit<PaymentClaim, 'payAmount'> & { readonly depositAmount: MoneyText; readonly readTo?: string }>
>;
export type RecordDeposit = Command<'RecordDeposit', At<{ readonly deposit: Deposit }>>;
/** Every payment that was settled before `readTo` has been recorded. Claims whose time is over by then are lost. */
export type CloseClaims = Command<'CloseClaims', At<{ readonly readTo: string }>>;
/** An operator's decision about a deposit that nobody's invoice asked for. `completed` names the invoice it pays after all. */
export type ResolveDeposit = Command<
  'ResolveDeposit',
  At<{
    readonly depositId: string;
    readonly outcome: 'completed' | 'failed';
    readonly invoiceId?: string;
    /** Whose invoice it is. */
    readonly accountId?: string;
    readonly note: string;
    /** Each request is carried out once: it must not decide about a deposit that has come back since. */
    readonly requestId: string;
    readonly now: string;
  }>
>;
/**
 * The invoice that a deposit was for had ended otherwise: the deposit waits for an operator. `requestId` is that of the
 * decision which had attributed it; without one it had been matched.
 */
export type ReturnDeposit = Command<
  'ReturnDeposit',
  At<{ readonly depositId: string; readonly invoiceId: string; readonly requestId?: string }>
>;

export type AddressCommand = ClaimPayAmount | RecordDeposit | CloseClaims | ResolveDeposit | ReturnDeposit;

export const addressCommandTypes = [
  'ClaimPayAmount',
  'RecordDeposit',
  'CloseClaims',
  'ResolveDeposit',
  'ReturnDeposit',
] as const satisfies readonly AddressCommand['type'][];

export type PayAmountClaimed = DomainEvent<'PayAmountClaimed', At<PaymentClaim>>;
/** Exactly what an invoice asked for. `late`: not before it expired, so that nothing is credited by itself. */
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
    /** `paid_already`: the amount is that of `invoiceId`, which had been paid. */
    readonly reason: 'amount_unknown' | 'paid_already' | 'invoice_closed';
    readonly invoiceId?: string;
    /** Whether invoices were being watched here, one of which may be meant: then an operator has to look at it. */
    readonly forReview: boolean;
  }>
>;
/** Every block up to the expiry was read, and the payment was in none of them. */
export type ClaimLost = DomainEvent<
  'ClaimLost',
  At<{ readonly invoiceId: string; readonly accountId: string; readonly readTo: string }>
>;
export type DepositResolved = DomainEvent<
  'DepositResolved',
  At<{
    readonly depositId: string;
    readonly outcome: 'completed' | 'failed';
    readonly invoiceId?: string;
    readonly accountId?: string;
    readonly note: string;
    /** Events from before there were request ids have none. */
    readonly requestId?: string;
    readonly resolvedAt: string;
  }>
>;
/** The chain was read past the time for which the oldest claims were watched: their amounts may be given out again. */
export type AmountsFreed = DomainEvent<'AmountsFreed', At<{ readonly readTo: string }>>;

export type AddressEvent =
  PayAmountClaimed | DepositMatched | DepositUnmatched | ClaimLost | DepositResolved | AmountsFreed;

export const addressEventVersions: EventVersions<AddressEvent> = {
  PayAmountClaimed: [],
  DepositMatched: [],
  DepositUnmatched: [],
  ClaimLost: [],
  DepositResolved: [],
  AmountsFreed: [],
};

export type AddressRefusal =
  /** Every amount that could be told from others is taken: another address has to be used. */
  | 'address_full'
  /** No deposit of this id waits, or waited, for an operator here. */
  | 'deposit_unknown'
  /** It was resolved the other way, or for another invoice. */
  | 'deposit_resolved';

/** What commands to an address are answered with. */
export interface AddressAnswer {
  /** The amount that the invoice has here, for `ClaimPayAmount`. */
  readonly payAmount?: UsdtText;
  /** Whose payment it was, for `RecordDeposit`. */
  readonly payment?: { readonly invoiceId: string; readonly late: boolean };
}
