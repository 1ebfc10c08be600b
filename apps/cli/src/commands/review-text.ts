import type {
  DepositReviewView,
  InvoiceReviewView,
  LateAnswerView,
  OperationReviewView,
  ReviewView,
} from '@florin/read-models';
import { type Columns, money, printable } from '../table';
import { actorText } from './actor-text';

/** A review as the API returns it. */
export type ProposedReview = ReviewView & {
  readonly proposal?: {
    readonly proposedBy: { readonly id: string };
    readonly confirmedBy?: { readonly id: string };
    readonly amount: string;
    readonly decision: Readonly<Record<string, unknown>>;
  };
};

export const reviewColumns: Columns<ProposedReview> = {
  ID: ({ id }) => id,
  KIND: ({ kind }) => kind,
  SINCE: ({ since }) => since,
  COMPANY: ({ companyId }) => companyId,
  ENVIRONMENT: ({ environment }) => environment,
  AMOUNT: money(amountOf),
  ABOUT: aboutOf,
  REASON: ({ reason }) => reason,
  'PROPOSED BY': ({ proposal }) => proposal?.proposedBy.id,
};

/** The held dollars of an operation, or the USDT of an invoice or deposit. */
function amountOf(review: ReviewView): string {
  switch (review.kind) {
    case 'operation':
      return `${review.total} held`;
    case 'invoice':
      return `${review.payAmount ?? '0'} USDT`;
    case 'deposit':
      return `${review.amount} USDT`;
  }
}

function aboutOf(review: ReviewView): string {
  switch (review.kind) {
    case 'operation':
      return [review.type, ...review.lateAnswers.map(lateResponseText)].join(', ');
    case 'invoice':
      return review.depositId === undefined ? '' : `deposit ${review.depositId}`;
    case 'deposit':
      return `transaction ${review.transactionId}`;
  }
}

/** A response about a different company or amount must not be trusted. */
function lateResponseText({ answer, matches }: LateAnswerView): string {
  return `late response: ${answer.outcome}${matches ? '' : ' (MISMATCH)'}`;
}

export function resolutionText(review: ReviewView): string {
  const text = review.kind === 'deposit' ? depositText(review) : outcomeText(review);
  const decidedBy = actorText(review.resolution?.resolvedBy);
  return decidedBy === undefined ? text : `${text} Decided by ${decidedBy}.`;
}

/** The decision is stored first and carried out afterwards, so the final status may not be reached yet. */
function outcomeText(review: OperationReviewView | InvoiceReviewView): string {
  const { id, kind, status, resolution } = review;
  const name = kind === 'operation' ? `Operation ${id}` : `Invoice ${id}`;
  const texts: Readonly<Record<string, string>> =
    kind === 'operation'
      ? {
          completed: `${name} completed. Captured ${review.total}.`,
          failed: `${name} failed. Released ${review.total}.`,
        }
      : {
          completed: `${name} completed. Credited ${review.creditAmount}.`,
          failed: `${name} failed. Nothing was credited.`,
        };
  return (
    texts[status] ??
    `${name} is resolved as ${resolution?.outcome} and will finish shortly. Check with \`reviews list\`.`
  );
}

/** A deposit returns to review if the invoice named for it was settled meanwhile. */
function depositText({ id, resolution }: DepositReviewView): string {
  if (resolution === undefined)
    return `Deposit ${id} needs review again: its invoice was settled meanwhile. Check with \`reviews list\`.`;
  return resolution.outcome === 'completed'
    ? `Deposit ${id} pays invoice ${resolution.invoiceId}.`
    : `Deposit ${id} is closed. Nothing was credited.`;
}

/** The options of `reviews resolve`, by the fields of a decision. */
const optionOf: Readonly<Record<string, string>> = { cardReference: 'card-reference', invoiceId: 'invoice' };

/** What a different operator has to run. The decision is the stored one, which must be repeated exactly. */
export function proposalText({ id, kind, proposal }: ProposedReview): string {
  const { amount, decision, proposedBy } = proposal!;
  const options = Object.entries(decision).map(([field, value]) => `--${optionOf[field] ?? field} ${quoted(value)}`);
  return [
    `Proposed by ${proposedBy.id}: resolve ${kind} ${id} of ${amount}. Nothing has moved yet.`,
    'A different operator must confirm it with the same decision:',
    `florin reviews resolve ${id} ${options.join(' ')}`,
  ].join('\n');
}

/** For a shell, and without control characters. */
function quoted(value: unknown): string {
  const text = printable(String(value));
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
