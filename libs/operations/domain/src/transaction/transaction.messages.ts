import type { Command, DomainEvent, EventVersions } from '@florin/kernel';
import type { CardPayment } from '../card/card.messages';

/**
 * Binds a transaction's id to one card and one payment before the card hears of it, so that the same id can never move
 * money on two cards, nor twice with different amounts.
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
export const transactionCommandTypes = ['ClaimTransaction'] as const satisfies readonly TransactionCommand['type'][];

export type TransactionClaimed = DomainEvent<'TransactionClaimed', Claim>;
export type TransactionEvent = TransactionClaimed;

export const transactionEventVersions: EventVersions<TransactionEvent> = { TransactionClaimed: [] };

export type TransactionRefusal = 'idempotency_conflict';

/** Claims the transaction and reports the payment to the card, in this order. Keyed by account; answers with `CardPayment`. */
export type RecordTransaction = Command<'RecordTransaction', Claim>;
