import { approvalStatuses } from '@florin/companies-domain';
import { adjustmentDirections } from '@florin/ledger-domain';
import { z } from 'zod';
import { amountOf, environment, id, money, text, timestamp } from '../../schemas';
import { operator, proposal } from './approval-schemas';

const direction = z
  .enum(adjustmentDirections)
  .meta({ description: '`credit` adds to the available funds, `debit` takes from them' });

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
  .meta({ id: 'AdjustmentRequest' });

export const adjustment = z
  .strictObject({
    id: id.meta({ description: 'Also the reference of the statement entry' }),
    companyId: id,
    environment,
    amount: money,
    direction,
    reason: z.string(),
    status: z.enum([...approvalStatuses, 'completed']).meta({
      description:
        '`proposed` waits for a different operator. `confirmed` is approved and not executed yet: confirm it again',
    }),
    createdBy: operator.optional().meta({ description: 'The operator, if one was sufficient' }),
    proposedBy: operator.optional().meta({ description: 'The first of two operators' }),
    confirmedBy: operator.optional().meta({ description: 'The second of two operators' }),
    proposal: proposal.optional().meta({ description: 'Present until the adjustment is executed' }),
    createdAt: timestamp,
    completedAt: timestamp.optional(),
  })
  .meta({ id: 'Adjustment' });
