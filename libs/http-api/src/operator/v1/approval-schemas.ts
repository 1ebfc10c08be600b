import { approvalStatuses } from '@florin/companies-domain';
import type { ApprovalView } from '@florin/read-models';
import { z } from 'zod';
import { id, money, timestamp } from '../../schemas';

/** The operator who decided. */
export const operator = z
  .strictObject({
    kind: z.literal('operator'),
    id: z.string().meta({ description: 'The id of the operator; `bootstrap` is the token of the installation' }),
  })
  .meta({ description: 'An operator', examples: [{ kind: 'operator', id: 'bootstrap' }] });

const confirmation = {
  confirmedBy: operator.optional().meta({ description: 'Absent until a different operator confirms it' }),
  confirmedAt: timestamp.optional(),
};

const withdrawal = {
  withdrawnBy: operator.optional().meta({ description: 'Absent unless the proposal is withdrawn' }),
  withdrawnAt: timestamp.optional(),
  refusal: z
    .string()
    .optional()
    .meta({
      description: 'Why the execution was refused, if the proposal was withdrawn because of that',
      examples: ['1000.00 is to be debited and 500.00 is available: debit a smaller amount'],
    }),
};

/** A proposal as part of its subject. */
export const proposal = z
  .strictObject({
    proposedBy: operator,
    proposedAt: timestamp,
    ...confirmation,
    ...withdrawal,
    amount: money.meta({ description: 'The amount because of which two operators decide' }),
    decision: z.record(z.string(), z.json()).meta({
      description: 'The exact decision. Another operator confirms it by sending the same one',
      examples: [{ outcome: 'completed', note: 'The issuer confirmed it by telephone' }],
    }),
  })
  .meta({ id: 'Proposal' });

export const approval = z
  .strictObject({
    id,
    subject: z.strictObject({
      kind: z.enum(['review', 'adjustment']),
      id: id.meta({ description: 'The id of the review or adjustment' }),
    }),
    status: z.enum(approvalStatuses).meta({
      description: '`confirmed`: approved by two operators and not executed yet. Send the decision again to execute it',
    }),
    ...proposal.shape,
  })
  .meta({ id: 'Approval' });

export function proposalBody(view: ApprovalView) {
  const { amount, decision, proposedBy, createdAt: proposedAt, confirmedBy, confirmedAt } = view;
  const { withdrawnBy, withdrawnAt, refusal } = view;
  return {
    proposedBy,
    proposedAt,
    ...(confirmedBy && { confirmedBy }),
    ...(confirmedAt !== undefined && { confirmedAt }),
    ...(withdrawnBy && { withdrawnBy }),
    ...(withdrawnAt !== undefined && { withdrawnAt }),
    ...(refusal !== undefined && { refusal }),
    amount,
    decision: decision as z.output<typeof proposal>['decision'],
  };
}

export function approvalBody(view: ApprovalView) {
  const { id, subject, status } = view;
  return { id, subject, status, ...proposalBody(view) };
}
