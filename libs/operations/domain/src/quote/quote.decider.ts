import { type Decider, refuse } from '@florin/kernel';
import type { KeepQuote, QuoteKept, QuoteRefusal } from './quote.messages';

/** Nothing until a quote was given under the key; from then on the first one, for ever. */
export type QuoteState = QuoteKept['data'] | undefined;

export const quoteDecider: Decider<QuoteState, KeepQuote, QuoteKept, QuoteRefusal> = {
  category: 'quote',

  initialState: () => undefined,

  decide: ({ data: { quoteId, fingerprint, quote } }, kept) => {
    if (kept === undefined) return [{ type: 'QuoteKept', data: { quoteId, fingerprint, quote } }];
    if (kept.fingerprint === fingerprint) return [];
    return refuse(
      'idempotency_conflict',
      'This key was used before for another quote: repeat that one, or use a new key',
    );
  },

  evolve: (_state, { data }) => data,
};
