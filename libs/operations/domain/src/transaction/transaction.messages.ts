import type { Command, DomainEvent, EventVersions, Upcaster } from '@florin/kernel';
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
  /** Absent in claims of the first release. */
  readonly reportedAt?: string;
}

/** Without a fingerprint, the report is about a transaction that was claimed before, and its payment is not compared. */
type Report = Omit<Claim, 'fingerprint'> & Partial<Pick<Claim, 'fingerprint'>>;

export type ClaimTransaction = Command<'ClaimTransaction', Report>;
export type TransactionCommand = ClaimTransaction;

export type TransactionClaimed = DomainEvent<'TransactionClaimed', Claim>;
export type TransactionEvent = TransactionClaimed;

/** Details of the payment and the time of the report were added. */
const withoutDetails: Upcaster = (data) => data;

export const transactionEventVersions: EventVersions<TransactionEvent> = { TransactionClaimed: [withoutDetails] };

export type TransactionRefusal = 'idempotency_conflict' | 'not_found';

/** Claims the transaction and reports the payment to the card, in this order. Keyed by account; returns a `PaymentAnswer`. */
export type RecordTransaction = Command<'RecordTransaction', Report>;
