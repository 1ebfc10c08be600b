import { expectPinnedState } from '@florin/event-sourcing/testing';
import type { OperatorActor } from '@florin/kernel';
import { approvalAggregate } from './approval.decider';
import type { ApprovalEvent } from './approval.messages';

const approvalId = 'a1';
const ida: OperatorActor = { kind: 'operator', id: 'ida' };
const bob: OperatorActor = { kind: 'operator', id: 'bob' };

describe('The state of an approval in a snapshot', () => {
  const history: readonly ApprovalEvent[] = [
    {
      type: 'DecisionProposed',
      data: {
        ...{ approvalId, subject: { kind: 'review', id: 'o1' }, decision: { outcome: 'completed' } },
        ...{ amount: '1000.00', proposedBy: ida, requestId: 'r1' },
      },
    },
    { type: 'DecisionConfirmed', data: { approvalId, confirmedBy: bob, requestId: 'r2' } },
    { type: 'DecisionRepeated', data: { approvalId, repeatedBy: ida, requestId: 'r3' } },
    { type: 'ProposalWithdrawn', data: { approvalId, withdrawnBy: ida, requestId: 'r4' } },
  ];

  it('is pinned to its version', () => {
    expectPinnedState(approvalAggregate, history, {
      stateVersion: 1,
      hash: '0400f647ee72a1442d2e21fbe3cb5520dd9f0c268f1e996658a8459f1f384b85',
    });
  });
});
