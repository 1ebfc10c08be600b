import type { Money, MoneyText, RecentRequests, Refusal } from '@florin/kernel';
import type {
  CardEvent,
  CardIssued,
  CardRefusal,
  CardStatus,
  TransactionStatus,
  TransactionType,
} from './card.messages';

export interface Card {
  readonly issued: CardIssued['data'];
  status: CardStatus;
  balance: Money;
  /** The amount of each top-up by operation id. Makes repeated top-ups idempotent. */
  readonly topups: Map<string, MoneyText>;
  /** The balance at the newest status changes, by request id. A repeated request returns it and changes nothing. */
  readonly requests: RecentRequests<Money>;
  /** The same for all status changes with an `Idempotency-Key` whose events have no balance: they are found only here. */
  readonly oldRequests: Map<string, Money>;
  readonly payments: Map<string, Payment>;
}

/** Undefined until the card is issued. */
export type CardState = Card | undefined;

export type CardDecision = readonly CardEvent[] | Refusal<CardRefusal>;

export interface Payment {
  readonly type: TransactionType;
  readonly amount: MoneyText;
  status: TransactionStatus;
  /** Every status reported so far. A report with one of them is a repeat. */
  readonly reported: TransactionStatus[];
}
