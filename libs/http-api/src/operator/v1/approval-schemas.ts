import type { ApprovalStatus } from '@florin/companies-domain';
import type { ApprovalView } from '@florin/read-models';
import { z } from 'zod';
import { approvalId, approvalSubjectId } from '../../ids';
import { explainedEnum, money, timestamp } from '../../schemas';

/** The operator who decided. */
export const operator = z
  .strictObject({
    kind: z.literal('operator').meta({ description: 'Always an operator' }),
    id: z.string().meta({
      description: 'The id of the operator; `bootstrap` is the token of the installation',
      examples: ['bootstrap'],
    }),
  })
  .meta({ id: 'DecidingOperator', description: 'An operator', examples: [{ kind: 'operator', id: 'bootstrap' }] });

export const approvalMeanings: Readonly<Record<ApprovalStatus, string>> = {
  proposed: 'Waits for the confirmation of a different operator',
  confirmed: 'Approved by two operators and not executed yet: send the decision again to execute it',
  withdrawn: 'Will not be executed',
};

const confirmation = {
  confirmedBy: operator.optional().meta({ description: 'Absent until a different operator confirms it' }),
  confirmedAt: timestamp.optional().meta({ description: 'Absent until a different operator confirms it' }),
};

const withdrawal = {
  withdrawnBy: operator.optional().meta({ description: 'Absent unless the proposal is withdrawn' }),
  withdrawnAt: timestamp.optional().meta({ description: 'Absent unless the proposal is withdrawn' }),
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
    decision: z.record(z.string(), z.unknown()).meta({
      description: 'The exact decision. Another operator confirms it by sending the same one',
      examples: [{ outcome: 'completed', note: 'The issuer confirmed it by telephone' }],
    }),
  })
  .meta({ id: 'Proposal', description: 'A proposed decision' });

export const approval = z
  .strictObject({
    id: approvalId,
    subject: z
      .strictObject({
        kind: explainedEnum<'review' | 'adjustment'>('ApprovalSubjectKind', 'What the decision is about', {
          review: 'The outcome of a review',
          adjustment: 'An adjustment of an account',
        }),
        id: approvalSubjectId,
      })
      .meta({ id: 'ApprovalSubject', description: 'What a decision is about' }),
    status: explainedEnum('ApprovalStatus', 'The status of a four-eyes decision', approvalMeanings),
    ...proposal.shape,
  })
  .meta({ id: 'Approval', description: 'A four-eyes decision' });

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
