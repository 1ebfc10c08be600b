import {
  formatMoney,
  type Metadata,
  type Money,
  type MoneyText,
  parseMoney,
  type RecentRequests,
  type Refusal,
} from '@florin/kernel';
import type { Order } from '../operation/operation.messages';
import type {
  CardEvent,
  CardIssued,
  CardMoney,
  CardRefusal,
  CardStatus,
  DeclineReason,
  MoneyAfter,
  TransactionStatus,
  TransactionType,
} from './card.messages';
import type { CardLimits } from './card-values';
import type { Spending } from './spending';

export interface Card {
  readonly issued: CardIssued['data'];
  status: CardStatus;
  /** The status to which a blocked card returns. */
  blockedFrom?: CardStatus;
  /** The time of the newest change that the issuer has reported. */
  reportedAt?: string;
  name: string;
  metadata: Metadata;
  balance: Money;
  /** What pending authorizations and reserved unloads hold of the balance. */
  held: Money;
  readonly topups: Topups;
  readonly unloads: Unloads;
  /** The money at the newest status changes, by request id. A repeated request returns it and changes nothing. */
  readonly requests: RecentRequests<StatusAndMoney>;
  /** The same for all status changes with an `Idempotency-Key` whose events have no balance: they are found only here. */
  readonly oldRequests: Map<string, StatusAndMoney>;
  limits: CardLimits;
  readonly payments: Map<string, Payment>;
  readonly spending: Spending;
}

/** The amounts of the top-ups, by operation id. An operation always has the same amount. */
export interface Topups {
  /** The issuer may be called for them, so they keep the card from being closed. */
  readonly started: Map<string, MoneyText>;
  readonly loaded: Map<string, MoneyText>;
  /** A delayed start of these would keep the card from being closed. */
  readonly canceled: Set<string>;
}

export interface Unloads {
  /** The number of the newest one. */
  lastNumber: number;
  /** The orders of the reserved ones, by operation id. Until the operation is queued, only the card has its order. */
  readonly reserved: Map<string, Order>;
  /** How the newest ones ended, so that a delayed request reserves nothing again. */
  readonly ended: RecentRequests<UnloadOutcome>;
}

export type UnloadOutcome = 'captured' | 'released';

/** Undefined until the card is issued. */
export type CardState = Card | undefined;

export type CardDecision = readonly CardEvent[] | Refusal<CardRefusal>;

export interface Payment {
  readonly type: TransactionType;
  /** As authorized or, without authorization, as reported. */
  readonly amount: MoneyText;
  status: TransactionStatus;
  /** The initials of every status reported so far. A report with one of them is a repeat. */
  reports: string;
  /** The sum of all clearings, unless it is the amount of a completed payment, or zero. */
  cleared?: Money;
  /** The amounts of reported clearings by id. */
  clearings?: Map<string, MoneyText>;
  /** What was returned by refunds that name this payment. */
  refunded?: Money;
  readonly refundOf?: string;
  /** The UTC day on which it counts as spending. */
  readonly day?: string;
  readonly declineReason?: DeclineReason;
}

export interface StatusAndMoney extends CardMoney {
  readonly status: CardStatus;
}

/** What can be spent. */
export function availableOn({ balance, held }: Card): Money {
  return balance - held;
}

export function moneyOn(card: Card): CardMoney {
  return { balance: formatMoney(card.balance), available: formatMoney(availableOn(card)) };
}

export function statusAndMoney(card: Card): StatusAndMoney {
  return { status: card.status, ...moneyOn(card) };
}

/** For `evolve`, after everything else that the event changes: old events have only the available amount. */
export function setBalance(card: Card, { balance, available }: MoneyAfter): void {
  card.balance =
    balance === undefined ? parseMoney(available) + (card.balance - availableOn(card)) : parseMoney(balance);
}

/** The fields of every event of the card that moves money or changes the status. */
export function changeOf(card: Card, { balance = 0n, held = 0n }: { readonly balance?: Money; readonly held?: Money }) {
  const { cardId, companyId, environment } = card.issued;
  const after = moneyOn({ ...card, balance: card.balance + balance, held: card.held + held });
  return { cardId, companyId, environment, after };
}
