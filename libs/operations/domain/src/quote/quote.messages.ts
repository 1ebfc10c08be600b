import type { Command, DomainEvent, EventVersions } from '@florin/kernel';
import type { Quote } from '../product/product.messages';

interface StoredQuote {
  /** Derived from the client's `Idempotency-Key`. Quotes without a key are not stored. */
  readonly quoteId: string;
  /** Distinguishes a repeated request from a different request with the same key. */
  readonly fingerprint: string;
  readonly quote: Quote;
}

/** Stores the quote for a key. A repeat returns the first one. */
export type KeepQuote = Command<'KeepQuote', StoredQuote>;
export type QuoteKept = DomainEvent<'QuoteKept', StoredQuote>;

export const quoteEventVersions: EventVersions<QuoteKept> = { QuoteKept: [] };

export type QuoteRefusal = 'idempotency_conflict';
