import { type Aggregate, refuse } from '@florin/kernel';
import { type KeepQuote, quoteEventVersions, type QuoteKept, type QuoteRefusal } from './quote.messages';

/** The first quote for the key. Never changes. */
export type QuoteState = QuoteKept['data'] | undefined;

export const quoteAggregate: Aggregate<QuoteState, KeepQuote, QuoteKept, QuoteRefusal, QuoteKept['data']['quote']> = {
  category: 'quote',
  versions: quoteEventVersions,

  initialState: () => undefined,

  decide: ({ data: { quoteId, fingerprint, quote } }, kept) => {
    if (kept === undefined) return [{ type: 'QuoteKept', data: { quoteId, fingerprint, quote } }];
    if (kept.fingerprint === fingerprint) return [];
    return refuse(
      'idempotency_conflict',
      'This key was already used for a different quote: repeat that request unchanged, or use a new key',
    );
  },

  evolve: (_state, { data }) => data,

  /** Returns the first stored quote. */
  answer: (first, { data }) => (first ?? data).quote,
};
