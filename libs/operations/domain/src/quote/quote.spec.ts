import { specFor } from '@florin/event-sourcing/testing';
import { quoteAggregate } from './quote.decider';
import { type KeepQuote, type QuoteKept } from './quote.messages';

const { given } = specFor(quoteAggregate);

const quote = { amount: '10.00', fee: '1.00', total: '11.00', breakdown: [] };
const keep = (changes: Partial<KeepQuote['data']> = {}): KeepQuote => {
  return { type: 'KeepQuote', data: { quoteId: 'q1', fingerprint: 'f1', quote, ...changes } };
};
const kept: QuoteKept = { type: 'QuoteKept', data: keep().data };

describe('A quote with an Idempotency-Key', () => {
  it('is stored', () => {
    given().when(keep()).then(kept);
  });

  it('does not change when the price changes', () => {
    given(kept)
      .when(keep({ quote: { ...quote, total: '12.00' } }))
      .then();
  });

  it('is refused for a different request', () => {
    given(kept)
      .when(keep({ fingerprint: 'f2' }))
      .thenRefused('idempotency_conflict');
  });
});
