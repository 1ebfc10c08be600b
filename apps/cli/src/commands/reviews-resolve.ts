import type { ReviewOutcome } from '@florin/operations-domain';
import { UsageError } from '../cli-errors';
import type { Command, CommandInput } from '../command';
import { resolvedOutput, type Review } from './review-output';

const outcomes = ['completed', 'failed'] as const satisfies readonly ReviewOutcome[];

export const reviewsResolve: Command = {
  words: 'reviews resolve',
  summary: 'Decides a review, for good: completed captures held funds or credits an invoice, failed does not.',
  arguments: ['review-id'],
  options: {
    outcome: { value: outcomes.join('|'), description: 'what has really happened; find it out first' },
    note: { value: 'text', description: 'how you know; of a failed operation the client sees it' },
    last4: { value: 'digits', description: 'the last four digits of a new card, unless the issuer told them late' },
    receipt: { value: 'text', description: "the issuer's receipt; the client sees it" },
    'card-reference': { value: 'text', description: 'what the issuer calls the new card' },
    invoice: { value: 'invoice-id', description: 'the invoice that a deposit pays after all' },
  },
  run: async (input) => {
    const path = `/reviews/${encodeURIComponent(input.text('review-id'))}/resolve`;
    const body = {
      outcome: input.oneOf('outcome', outcomes),
      note: input.text('note'),
      ...(input.has('last4') && { last4: readDigits(input) }),
      ...(input.has('receipt') && { receipt: input.text('receipt') }),
      ...(input.has('card-reference') && { cardReference: input.text('card-reference') }),
      ...(input.has('invoice') && { invoiceId: input.text('invoice') }),
    };
    return resolvedOutput(await input.api.post<Review>(path, body));
  },
};

function readDigits(input: CommandInput): string {
  const digits = input.text('last4');
  if (/^\d{4}$/.test(digits)) return digits;
  throw new UsageError(`--last4 must be exactly four digits, not ${digits}`);
}
