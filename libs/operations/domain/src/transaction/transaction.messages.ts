import type { Command, DomainEvent, EventVersions } from '@florin/kernel';
import type { CardPayment } from '../card/card.messages';

/**
 * Binds a transaction id to one card and one payment before the payment is reported to the card. This prevents the same
 * id from moving money on two cards, or twice with different amounts.
 */
interface Claim {
  readonly transactionId: string;
  readonly cardId: string;
  readonly accountId: string;
  readonly payment: CardPayment;
  readonly fingerprint: string;
}

export type ClaimTransaction = Command<'ClaimTransaction', Claim>;
export type TransactionCommand = ClaimTransaction;

export type TransactionClaimed = DomainEvent<'TransactionClaimed', Claim>;
export type TransactionEvent = TransactionClaimed;

export const transactionEventVersions: EventVersions<TransactionEvent> = { TransactionClaimed: [] };

export type TransactionRefusal = 'idempotency_conflict';

/** Claims the transaction and reports the payment to the card, in this order. Keyed by account; returns a `CardPayment`. */
export type RecordTransaction = Command<'RecordTransaction', Claim>;
