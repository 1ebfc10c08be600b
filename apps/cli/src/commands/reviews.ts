import type { ReviewOutcome } from '@florin/operations-domain';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { apiPath } from '../api-path';
import type { CliContext } from '../cli-context';
import { addPageOptions, type ListQuery, printPage } from './pages';
import { type ProposedReview, proposalText, resolutionText, reviewColumns } from './review-text';

interface ResolveOptions {
  readonly invoice?: string;
}

const outcomes = ['completed', 'failed'] as const satisfies readonly ReviewOutcome[];
const outcome = new Option('--outcome <outcome>', 'what really happened; find out first')
  .choices(outcomes)
  .makeOptionMandatory();

export function addReviewCommands(program: Command, context: CliContext): void {
  const reviews = program.command('reviews').description('Decide manual reviews.');
  addPageOptions(reviews.command('list'))
    .description('List open reviews: operations with unknown outcomes, late payments, unexpected deposits.')
    .action((query: ListQuery) => {
      const api = context.operatorApi();
      return printPage(context, { api, path: '/reviews', columns: reviewColumns, plural: 'open reviews', query });
    });
  reviews
    .command('resolve <review-id>')
    .description('Decide a review permanently: completed captures the funds or credits the invoice, failed does not.')
    .addOption(outcome)
    .requiredOption('--note <text>', 'how you know; shown to the client if an operation failed')
    .option('--last4 <digits>', 'last four digits of a new card, unless a late issuer response has them', parseLast4)
    .option('--receipt <text>', "the issuer's receipt, shown to the client")
    .option('--card-reference <text>', "the issuer's reference of the new card")
    .option('--invoice <invoice-id>', 'the invoice that a deposit pays')
    .action(async (id: string, { invoice, ...body }: ResolveOptions) => {
      const resolution = invoice === undefined ? body : { ...body, invoiceId: invoice };
      const review = await context.operatorApi().post<ProposedReview>(apiPath`/reviews/${id}/resolve`, resolution);
      const isProposed = review.proposal !== undefined && review.proposal.confirmedBy === undefined;
      context.output(review, isProposed ? proposalText(review) : resolutionText(review));
    });
}

function parseLast4(text: string): string {
  if (/^\d{4}$/.test(text.trim())) return text.trim();
  throw new InvalidArgumentError('Use exactly four digits.');
}
