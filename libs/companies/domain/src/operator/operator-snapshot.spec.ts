import { expectBoundedRequests, expectPinnedState } from '@florin/event-sourcing/testing';
import { operatorAggregate } from './operator.decider';
import type { OperatorCommand, OperatorEvent } from './operator.messages';

const at = '2030-01-01T00:00:00.000Z';
const created: OperatorEvent = {
  type: 'OperatorCreated',
  data: {
    ...{ operatorId: 'ida', sealed: 'sealed', emailHash: 'e-mail', role: 'support' },
    ...{ tokenHash: 'hash-1', hint: 'aaaa', createdAt: at },
  },
};

describe('The state of the operators in a snapshot', () => {
  const history: readonly OperatorEvent[] = [
    created,
    // As old releases stored it.
    { type: 'OperatorRoleChanged', data: { operatorId: 'ida', role: 'viewer', requestId: 'r1' } },
    { type: 'OperatorRoleChanged', data: { operatorId: 'ida', role: 'finance', requestId: 'r2', requestedAt: at } },
    { type: 'OperatorTokenRotated', data: { operatorId: 'ida', tokenHash: 'hash-2', hint: 'bbbb', rotatedAt: at } },
    { type: 'OperatorDisabled', data: { operatorId: 'ida', disabledAt: at } },
  ];

  it('is pinned to its version', () => {
    expectPinnedState(operatorAggregate, history, {
      stateVersion: 1,
      hash: 'c99eb06b7c0e9a0eed9bca2044ead047aed79381edb464e4c720c016175ea630',
    });
  });

  it('has the newest role changes', () => {
    expectBoundedRequests(operatorAggregate, [created], (requestId, requestedAt): OperatorCommand => ({
      type: 'ChangeOperatorRole',
      data: { operatorId: 'ida', role: 'finance', requestId, requestedAt },
    }));
  });
});
