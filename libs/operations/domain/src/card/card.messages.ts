import type { Command, DomainEvent, EventVersions, Json, Metadata, MoneyText, Upcaster } from '@florin/kernel';
import type { CardChanged, CardStatusReported, ChangeCard, ReportCardStatus } from './card-changes.messages';
import type { CardLimits, CardMoney, CardStatus, MoneyAfter } from './card-values';
import type { CardOperationCommand, CardOperationEvent, CardOperationRefusal } from './card-operations.messages';
import type { CardPayment, DeclineReason, TransactionStatus } from './payment.messages';

export * from './card-changes.messages';
export * from './card-operations.messages';
export * from './card-values';
export * from './payment.messages';

interface CardFacts {
  readonly companyId: string;
  readonly environment: 'sandbox' | 'live';
  readonly accountId: string;
  readonly operationId: string;
  readonly holderId: string;
  readonly productId: string;
  readonly name: string;
  readonly last4: string;
  /** The issuer's id of the card. */
  readonly cardReference?: string;
  readonly amount: MoneyText;
  readonly createdAt: string;
  /** `pending` if the issuer activates the card later. Absent if it is active. */
  readonly status?: 'pending' | 'active';
}

type Of<Data = unknown> = Data & { readonly cardId: string };
/** A status change that a client requests. Only the account that owns the card may request it; applied once per `requestId`. */
type StatusRequest = Of<{
  readonly accountId: string;
  readonly requestId: string;
  /** Absent from gateways of an older release. */
  readonly requestedAt?: string;
}>;

export type IssueCard = Command<'IssueCard', Of<CardFacts>>;
export type FreezeCard = Command<'FreezeCard', StatusRequest>;
export type UnfreezeCard = Command<'UnfreezeCard', StatusRequest>;
/** `unfinishedOperations` is how many operations of the card the gateway has found; absent from gateways of an older release. */
export type CloseCard = Command<'CloseCard', StatusRequest & { readonly unfinishedOperations?: number }>;
/** A first report of a payment, or a later one that changes its status or clears it. */
export type ReportPayment = Command<
  'ReportPayment',
  Of<{
    readonly accountId: string;
    readonly payment: CardPayment;
    /** Spending counts on the day of the report. By default that of the payment. */
    readonly reportedAt?: string;
  }>
>;

export type CardCommand =
  | IssueCard
  | CardOperationCommand
  | FreezeCard
  | UnfreezeCard
  | CloseCard
  | ReportPayment
  | ReportCardStatus
  | ChangeCard;

export const cardCommandTypes = [
  'IssueCard',
  'StartTopup',
  'TopUpCard',
  'CancelTopup',
  'ReserveUnload',
  'CaptureUnload',
  'ReleaseUnload',
  'FreezeCard',
  'UnfreezeCard',
  'CloseCard',
  'ReportPayment',
  'ReportCardStatus',
  'ChangeCard',
] as const satisfies readonly CardCommand['type'][];

type Changed<Data = unknown> = Of<Data & { readonly companyId: string; readonly environment: 'sandbox' | 'live' }>;

export type CardIssued = DomainEvent<'CardIssued', Of<CardFacts>>;
export type CardToppedUp = DomainEvent<
  'CardToppedUp',
  Changed<{ readonly operationId: string; readonly amount: MoneyText; readonly after: MoneyAfter }>
>;
type StatusChange = Changed<{
  readonly requestId: string;
  readonly requestedAt?: string;
  /** For the reply to a repeat. Absent in old events. */
  readonly after?: MoneyAfter;
}>;
export type CardFrozen = DomainEvent<'CardFrozen', StatusChange>;
export type CardUnfrozen = DomainEvent<'CardUnfrozen', StatusChange>;
export type CardClosed = DomainEvent<'CardClosed', StatusChange>;
/** `payment.status` is the status that the card decided. */
export type PaymentRecorded = DomainEvent<
  'PaymentRecorded',
  Changed<{
    readonly payment: CardPayment;
    readonly after: MoneyAfter;
    /** What the card authorized; zero for a payment that was cleared or ended without an authorization. */
    readonly authorized: MoneyText;
    readonly cleared: MoneyText;
    /** The reported status if the card declined the payment. Identifies a repeated report. */
    readonly reported?: TransactionStatus;
    readonly declineReason?: DeclineReason;
    readonly reportedAt?: string;
  }>
>;
export type PaymentChanged = DomainEvent<
  'PaymentChanged',
  Changed<{
    readonly transactionId: string;
    readonly status: TransactionStatus;
    readonly after: MoneyAfter;
    /** The sum of all clearings. Absent in old events, which clear everything or nothing. */
    readonly cleared?: MoneyText;
    /** The clearing that is reported; otherwise a status is. */
    readonly clearing?: { readonly clearingId: string; readonly amount: MoneyText };
    /** The reported status if it differs: the reversal of a partly cleared authorization completes it. */
    readonly reported?: TransactionStatus;
    readonly reportedAt?: string;
  }>
>;

export type CardEvent =
  | CardIssued
  | CardToppedUp
  | CardOperationEvent
  | CardFrozen
  | CardUnfrozen
  | CardClosed
  | CardStatusReported
  | CardChanged
  | PaymentRecorded
  | PaymentChanged;

/** Time and balance were added, which are unknown in old events. */
const withoutBalance: Upcaster = (data) => data;

/** The first release called the amount that can be spent `balance`. */
const withAvailable: Upcaster = (old) => {
  const { balance, ...data } = old as { readonly [name: string]: Json };
  return balance === undefined ? data : { ...data, after: { available: balance } };
};

/** An authorization was cleared as a whole or not at all. */
const withAmounts: Upcaster = (old) => {
  const data = old as { readonly [name: string]: Json };
  const { type, status, amount } = data['payment'] as unknown as CardPayment;
  const isDebit = type !== 'refund' && type !== 'verification';
  const authorized = isDebit && (status === 'pending' || status === 'completed') ? amount : '0.00';
  return { ...data, authorized, cleared: status === 'completed' ? amount : '0.00' };
};

/** Every card was active from the start. */
const withoutStatus: Upcaster = (data) => data;

export const cardEventVersions: EventVersions<CardEvent> = {
  CardIssued: [withoutStatus],
  CardToppedUp: [withAvailable],
  TopupStarted: [],
  TopupCanceled: [],
  UnloadReserved: [],
  CardUnloaded: [],
  UnloadReleased: [],
  CardFrozen: [withoutBalance, withAvailable],
  CardUnfrozen: [withoutBalance, withAvailable],
  CardClosed: [withoutBalance, withAvailable],
  CardActivated: [],
  CardBlocked: [],
  CardUnblocked: [],
  CardExpired: [],
  CardChanged: [],
  PaymentRecorded: [(data) => withAvailable(withAmounts(data))],
  PaymentChanged: [withAvailable],
};

export type CardRefusal =
  /** The card is unknown or belongs to another account. Clients cannot distinguish the two. */
  | 'not_found'
  | 'card_not_active'
  /** The request may have been accepted and forgotten. */
  | 'request_outdated'
  /** The id is in use with different data. */
  | 'card_exists'
  /** The report has a different amount or type than an earlier one, or a currency other than the card's. */
  | 'payment_mismatch'
  /** The reported status cannot follow the current one. */
  | 'payment_settled'
  /** Money, pending transactions or operations are left on the card. */
  | 'card_not_empty'
  | CardOperationRefusal;

/** The card as clients see it. */
export interface CardAnswer extends CardMoney {
  readonly cardId: string;
  readonly name: string;
  readonly holderId: string;
  readonly last4: string;
  readonly status: CardStatus;
  readonly limits: CardLimits;
  readonly metadata: Metadata;
  readonly productId: string;
  readonly createdAt: string;
  /** The time of the status change; absent if its request has none. */
  readonly updatedAt?: string;
}
