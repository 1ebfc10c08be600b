import { type Decider, refuse } from '@florin/kernel';
import type { KeepQuote, QuoteKept, QuoteRefusal } from './quote.messages';

/** The first quote for the key. Never changes. */
export type QuoteState = QuoteKept['data'] | undefined;

export const quoteDecider: Decider<QuoteState, KeepQuote, QuoteKept, QuoteRefusal> = {
  category: 'quote',

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
};
