import type { Command, DomainEvent, EventVersions } from '@florin/kernel';
import type { Quote } from '../product/product.messages';

interface AnsweredQuote {
  /** Made of the client's `Idempotency-Key`; quotes without one are not kept. */
  readonly quoteId: string;
  /** Tells a repeat of the same question from another one under the same key. */
  readonly fingerprint: string;
  readonly quote: Quote;
}

/** Keeps what a client was told under a key. A later one learns the first answer. */
export type KeepQuote = Command<'KeepQuote', AnsweredQuote>;
export type QuoteKept = DomainEvent<'QuoteKept', AnsweredQuote>;

export const quoteEventVersions: EventVersions<QuoteKept> = { QuoteKept: [] };

export type QuoteRefusal = 'idempotency_conflict';
