import type { Money, MoneyText, Refusal } from '@florin/kernel';
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
  /** Every operation that topped the card up, with its amount: each does so once, however late it is repeated. */
  readonly topups: Map<string, MoneyText>;
  /** Every wish that was granted, with the balance of then: a repeat is answered with it, and undoes nothing. */
  readonly granted: Map<string, Money>;
  readonly payments: Map<string, Payment>;
}

/** Nothing until the card is issued. */
export type CardState = Card | undefined;

export type CardDecision = readonly CardEvent[] | Refusal<CardRefusal>;

/** What a card remembers of a payment. */
export interface Payment {
  readonly type: TransactionType;
  readonly amount: MoneyText;
  status: TransactionStatus;
  /** Every status it has been reported with: a report that came before is a repeat, however late. */
  readonly reported: TransactionStatus[];
}
