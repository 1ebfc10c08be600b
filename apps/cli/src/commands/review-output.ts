import type { CommandOutput } from '../command';
import { type Columns, table } from '../table';

export interface Review {
  readonly id: string;
  readonly companyId: string;
  readonly environment: string;
  readonly type: string;
  readonly status: string;
  readonly total: string;
  readonly reason: string;
  readonly since: string;
  readonly lateAnswers: readonly LateAnswer[];
  readonly resolution?: { readonly outcome: string };
}

interface LateAnswer {
  readonly answer: { readonly outcome: string };
  readonly matches: boolean;
}

export interface ReviewPage {
  readonly data: readonly Review[];
  readonly nextCursor?: string;
}

const columns: Columns<Review> = {
  ID: ({ id }) => id,
  SINCE: ({ since }) => since,
  COMPANY: ({ companyId }) => companyId,
  ENVIRONMENT: ({ environment }) => environment,
  TYPE: ({ type }) => type,
  HELD: ({ total }) => total,
  'ISSUER TOLD SINCE': ({ lateAnswers }) => lateAnswers.map(tellAnswer).join(', '),
  REASON: ({ reason }) => reason,
};

export function reviewsOutput(answer: ReviewPage): CommandOutput {
  const { data, nextCursor } = answer;
  if (data.length === 0) return { answer, text: 'Nothing waits for a decision.' };
  const more = nextCursor === undefined ? '' : `\n\nThere are more: go on with --cursor ${nextCursor}`;
  return { answer, text: `${table(data, columns)}${more}` };
}

/** The decision is stored before anything follows from it, so that it may stand while the rest is still under way. */
export function resolvedOutput(review: Review): CommandOutput {
  const { id, status, total, resolution } = review;
  const ends: Readonly<Record<string, string>> = {
    completed: `Operation ${id} is completed: the ${total} that was held is captured.`,
    failed: `Operation ${id} has failed: the ${total} that was held is released.`,
  };
  const pending = `Operation ${id} is decided as ${resolution?.outcome}, and ends in a moment: \`reviews list\` tells.`;
  return { answer: review, text: ends[status] ?? pending };
}

/** An answer about another company or amount than the operation's is none to rely on. */
function tellAnswer({ answer, matches }: LateAnswer): string {
  return matches ? answer.outcome : `${answer.outcome} (does not match!)`;
}
