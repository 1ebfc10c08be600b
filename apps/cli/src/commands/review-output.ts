import type { CommandOutput } from '../command';
import { pageText, type ResultPage } from './page-output';
import type { Columns } from '../table';

interface AnyReview {
  readonly id: string;
  readonly companyId?: string;
  readonly environment?: string;
  readonly status: string;
  readonly reason: string;
  readonly since: string;
  readonly resolution?: { readonly outcome: string; readonly invoiceId?: string };
}

interface OperationReview extends AnyReview {
  readonly kind: 'operation';
  readonly type: string;
  readonly total: string;
  readonly lateAnswers: readonly LateAnswer[];
}

interface InvoiceReview extends AnyReview {
  readonly kind: 'invoice';
  readonly payAmount: string | null;
  readonly creditAmount: string;
  readonly depositId?: string;
}

interface DepositReview extends AnyReview {
  readonly kind: 'deposit';
  readonly amount: string;
  readonly transactionId: string;
}

export type Review = OperationReview | InvoiceReview | DepositReview;

interface LateAnswer {
  readonly answer: { readonly outcome: string };
  readonly matches: boolean;
}

const columns: Columns<Review> = {
  ID: ({ id }) => id,
  KIND: ({ kind }) => kind,
  SINCE: ({ since }) => since,
  COMPANY: ({ companyId }) => companyId,
  ENVIRONMENT: ({ environment }) => environment,
  AMOUNT: amountOf,
  ABOUT: aboutOf,
  REASON: ({ reason }) => reason,
};

export function reviewsOutput(answer: ResultPage<Review>): CommandOutput {
  return { answer, text: pageText(answer, columns, 'Nothing waits for a decision.') };
}

/** What is at stake: held dollars of an operation, the USDT of an invoice or a deposit. */
function amountOf(review: Review): string {
  switch (review.kind) {
    case 'operation':
      return `${review.total} held`;
    case 'invoice':
      return `${review.payAmount ?? '0'} USDT`;
    case 'deposit':
      return `${review.amount} USDT`;
  }
}

function aboutOf(review: Review): string {
  switch (review.kind) {
    case 'operation':
      return [review.type, ...review.lateAnswers.map(tellAnswer)].join(', ');
    case 'invoice':
      return review.depositId === undefined ? '' : `deposit ${review.depositId}`;
    case 'deposit':
      return `transaction ${review.transactionId}`;
  }
}

/** An answer about another company or amount than the operation's is none to rely on. */
function tellAnswer({ answer, matches }: LateAnswer): string {
  return `the issuer told ${answer.outcome}${matches ? '' : ' (does not match!)'}`;
}

export function resolvedOutput(review: Review): CommandOutput {
  return { answer: review, text: review.kind === 'deposit' ? depositText(review) : endText(review) };
}

/** The decision is stored before anything follows from it, so that it may stand while the rest is still under way. */
function endText(review: OperationReview | InvoiceReview): string {
  const { id, kind, status, resolution } = review;
  const name = kind === 'operation' ? `Operation ${id}` : `Invoice ${id}`;
  const ends: Readonly<Record<string, string>> =
    kind === 'operation'
      ? {
          completed: `${name} is completed: the ${review.total} that was held is captured.`,
          failed: `${name} has failed: the ${review.total} that was held is released.`,
        }
      : {
          completed: `${name} is completed: ${review.creditAmount} is credited.`,
          failed: `${name} has failed: nothing is credited.`,
        };
  return ends[status] ?? `${name} is decided as ${resolution?.outcome}, and ends in a moment: \`reviews list\` tells.`;
}

/** A deposit comes back when the invoice that was named for it turns out to be settled otherwise. */
function depositText({ id, resolution }: DepositReview): string {
  if (resolution === undefined)
    return `Deposit ${id} waits again, for its invoice was settled otherwise: \`reviews list\` tells.`;
  return resolution.outcome === 'completed'
    ? `Deposit ${id} pays invoice ${resolution.invoiceId}.`
    : `Deposit ${id} is closed: it credits nothing.`;
}
