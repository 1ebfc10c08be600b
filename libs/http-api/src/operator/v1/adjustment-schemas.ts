import type { ApprovalStatus } from '@florin/companies-domain';
import type { AdjustmentDirection } from '@florin/ledger-domain';
import { z } from 'zod';
import { adjustmentId, companyId } from '../../ids';
import { amountOf, environment, explainedEnum, money, text, timestamp } from '../../schemas';
import { approvalMeanings, operator, proposal } from './approval-schemas';

const direction = explainedEnum<AdjustmentDirection>('AdjustmentDirection', 'The direction of an adjustment', {
  credit: 'Adds to the available funds',
  debit: 'Takes from the available funds',
});

export const adjustmentRequest = z
  .strictObject({
    environment,
    amount: amountOf('US dollars as a decimal string, at least 0.01', '25.00').refine((amount) => amount !== '0.00', {
      error: 'must be at least 0.01',
    }),
    direction,
    reason: text(500).meta({
      description: 'Why the account is corrected. The client sees it in the statement',
      examples: ['Refund of the fee of a failed card order'],
    }),
  })
  .meta({ id: 'AdjustmentRequest', description: 'A new adjustment' });

export const adjustment = z
  .strictObject({
    id: adjustmentId,
    companyId,
    environment,
    amount: money,
    direction,
    reason: z
      .string()
      .meta({ description: 'Why the account is corrected', examples: ['Refund of the fee of a failed card order'] }),
    status: explainedEnum<ApprovalStatus | 'completed'>('AdjustmentStatus', 'The status of an adjustment', {
      ...approvalMeanings,
      completed: 'The account was corrected',
    }),
    createdBy: operator.optional().meta({ description: 'The operator, if one was sufficient' }),
    proposedBy: operator.optional().meta({ description: 'The first of two operators' }),
    confirmedBy: operator.optional().meta({ description: 'The second of two operators' }),
    proposal: proposal.optional().meta({ description: 'Present until the adjustment is executed' }),
    createdAt: timestamp,
    completedAt: timestamp.optional().meta({ description: 'When the account was corrected' }),
  })
  .meta({ id: 'Adjustment', description: 'An adjustment of an account' });
