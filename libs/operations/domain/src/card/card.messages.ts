import type { Command, DomainEvent, EventVersions, MoneyText, Upcaster } from '@florin/kernel';

export const cardStatuses = ['pending', 'active', 'frozen', 'blocked', 'closed', 'expired'] as const;
export type CardStatus = (typeof cardStatuses)[number];

export const transactionTypes = ['purchase', 'refund', 'withdrawal', 'verification', 'fee', 'adjustment'] as const;
export type TransactionType = (typeof transactionTypes)[number];

export const transactionStatuses = ['pending', 'completed', 'declined', 'reversed', 'expired'] as const;
export type TransactionStatus = (typeof transactionStatuses)[number];

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
}

/** A card payment as the issuer reports it. `amount` is unsigned; `type` gives the direction. */
export interface CardPayment {
  readonly transactionId: string;
  readonly reference: string;
  readonly type: TransactionType;
  /** As reported by the issuer. The card may decline a payment that is reported as `pending` or `completed`. */
  readonly status: TransactionStatus;
  readonly amount: MoneyText;
  readonly currency: string;
  readonly merchant: string;
  readonly country: string;
  readonly description: string;
  readonly occurredAt: string;
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
export type TopUpCard = Command<'TopUpCard', Of<{ readonly operationId: string; readonly amount: MoneyText }>>;
export type FreezeCard = Command<'FreezeCard', StatusRequest>;
export type UnfreezeCard = Command<'UnfreezeCard', StatusRequest>;
export type CloseCard = Command<'CloseCard', StatusRequest>;
/** A first report of a payment, or a later one that changes its status. */
export type ReportPayment = Command<'ReportPayment', Of<{ readonly accountId: string; readonly payment: CardPayment }>>;

export type CardCommand = IssueCard | TopUpCard | FreezeCard | UnfreezeCard | CloseCard | ReportPayment;

export const cardCommandTypes = [
  'IssueCard',
  'TopUpCard',
  'FreezeCard',
  'UnfreezeCard',
  'CloseCard',
  'ReportPayment',
] as const satisfies readonly CardCommand['type'][];

type Changed<Data = unknown> = Of<Data & { readonly companyId: string; readonly environment: 'sandbox' | 'live' }>;

export type CardIssued = DomainEvent<'CardIssued', Of<CardFacts>>;
export type CardToppedUp = DomainEvent<
  'CardToppedUp',
  Changed<{ readonly operationId: string; readonly amount: MoneyText; readonly balance: MoneyText }>
>;
type StatusChange = Changed<{
  readonly requestId: string;
  readonly requestedAt?: string;
  /** The card's balance, for the reply to a repeat. Absent in old events. */
  readonly balance?: MoneyText;
}>;
export type CardFrozen = DomainEvent<'CardFrozen', StatusChange>;
export type CardUnfrozen = DomainEvent<'CardUnfrozen', StatusChange>;
export type CardClosed = DomainEvent<'CardClosed', StatusChange>;
/** `payment.status` is the status that the card decided; `balance` is the card's balance afterwards. */
export type PaymentRecorded = DomainEvent<
  'PaymentRecorded',
  Changed<{
    readonly payment: CardPayment;
    readonly balance: MoneyText;
    /** The reported status if the card declined the payment. Identifies a repeated report. */
    readonly reported?: TransactionStatus;
  }>
>;
export type PaymentChanged = DomainEvent<
  'PaymentChanged',
  Changed<{ readonly transactionId: string; readonly status: TransactionStatus; readonly balance: MoneyText }>
>;

export type CardEvent =
  CardIssued | CardToppedUp | CardFrozen | CardUnfrozen | CardClosed | PaymentRecorded | PaymentChanged;

/** Time and balance were added, which are unknown in old events. */
const withoutBalance: Upcaster = (data) => data;

export const cardEventVersions: EventVersions<CardEvent> = {
  CardIssued: [],
  CardToppedUp: [],
  CardFrozen: [withoutBalance],
  CardUnfrozen: [withoutBalance],
  CardClosed: [withoutBalance],
  PaymentRecorded: [],
  PaymentChanged: [],
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
  | 'payment_settled';

/** The card as clients see it. */
export interface CardAnswer {
  readonly cardId: string;
  readonly name: string;
  readonly holderId: string;
  readonly last4: string;
  readonly status: CardStatus;
  readonly balance: MoneyText;
  readonly productId: string;
  readonly createdAt: string;
}
