import type { Command, DomainEvent, EventVersions, MoneyText } from '@florin/kernel';

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
  /** What the issuer calls the card. */
  readonly cardReference?: string;
  readonly amount: MoneyText;
  readonly createdAt: string;
}

/** A card payment as the issuer reports it. `amount` is unsigned; the type tells which way the money goes. */
export interface CardPayment {
  readonly transactionId: string;
  readonly reference: string;
  readonly type: TransactionType;
  /** As reported; whether it is `declined` is decided by the card where the report says `pending` or `completed`. */
  readonly status: TransactionStatus;
  readonly amount: MoneyText;
  readonly currency: string;
  readonly merchant: string;
  readonly country: string;
  readonly description: string;
  readonly occurredAt: string;
}

type Of<Data = unknown> = Data & { readonly cardId: string };
/** A client's wish: only the account that owns the card may have it granted, and each wish is granted once. */
type Wish = Of<{ readonly accountId: string; readonly requestId: string }>;

export type IssueCard = Command<'IssueCard', Of<CardFacts>>;
export type TopUpCard = Command<'TopUpCard', Of<{ readonly operationId: string; readonly amount: MoneyText }>>;
export type FreezeCard = Command<'FreezeCard', Wish>;
export type UnfreezeCard = Command<'UnfreezeCard', Wish>;
export type CloseCard = Command<'CloseCard', Wish>;
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
export type CardFrozen = DomainEvent<'CardFrozen', Changed<{ readonly requestId: string }>>;
export type CardUnfrozen = DomainEvent<'CardUnfrozen', Changed<{ readonly requestId: string }>>;
export type CardClosed = DomainEvent<'CardClosed', Changed<{ readonly requestId: string }>>;
/** `payment.status` is what the card made of the report; `balance` is the card's after it. */
export type PaymentRecorded = DomainEvent<
  'PaymentRecorded',
  Changed<{
    readonly payment: CardPayment;
    readonly balance: MoneyText;
    /** The status in the report, where the card declined the payment: a repeat of the report is known by it. */
    readonly reported?: TransactionStatus;
  }>
>;
export type PaymentChanged = DomainEvent<
  'PaymentChanged',
  Changed<{ readonly transactionId: string; readonly status: TransactionStatus; readonly balance: MoneyText }>
>;

export type CardEvent =
  CardIssued | CardToppedUp | CardFrozen | CardUnfrozen | CardClosed | PaymentRecorded | PaymentChanged;

export const cardEventVersions: EventVersions<CardEvent> = {
  CardIssued: [],
  CardToppedUp: [],
  CardFrozen: [],
  CardUnfrozen: [],
  CardClosed: [],
  PaymentRecorded: [],
  PaymentChanged: [],
};

export type CardRefusal =
  /** Unknown, or another account's: nobody can tell the two apart. */
  | 'not_found'
  | 'card_not_active'
  /** The same id with other data. */
  | 'card_exists'
  /** A report names another amount or kind than an earlier one, or a currency the card does not have. It never moves money. */
  | 'payment_mismatch'
  /** A status that cannot follow the one the payment has. */
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
