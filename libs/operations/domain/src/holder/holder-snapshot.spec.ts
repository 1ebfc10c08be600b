import { expectBoundedRequests, expectPinnedState } from '@florin/event-sourcing/testing';
import { holderAggregate } from './holder.decider';
import type { HolderCommand, HolderEvent } from './holder.messages';

const at = '2030-01-01T00:00:00.000Z';
const registered: HolderEvent = {
  type: 'HolderRegistered',
  data: {
    ...{ holderId: 'h1', companyId: 'acme', environment: 'live', kind: 'individual', externalId: 'employee-1' },
    ...{ status: 'pending', sealed: 'sealed', requestId: 'r1', fingerprint: 'f1', createdAt: at },
  },
};

describe('The state of holders in a snapshot', () => {
  const history: readonly HolderEvent[] = [
    registered,
    // As old releases stored it.
    { type: 'HolderStatusChanged', data: { holderId: 'h1', status: 'active', requestId: 'r2' } },
    { type: 'HolderStatusChanged', data: { holderId: 'h1', status: 'blocked', requestId: 'r3', requestedAt: at } },
    { type: 'HolderChanged', data: { holderId: 'h1', requestId: 'r4', requestedAt: at, sealedName: 'name' } },
    { type: 'HolderErased', data: { holderId: 'h1' } },
  ];

  it('is pinned to its version', () => {
    expectPinnedState(holderAggregate, history, {
      stateVersion: 2,
      hash: '3ac05f29cf0ab6c17474b99fa4fa7d71ed0783441fecdb69760c0435f160f10e',
    });
  });

  it('has the newest status changes', () => {
    expectBoundedRequests(holderAggregate, [registered], (requestId, requestedAt): HolderCommand => ({
      type: 'SetHolderStatus',
      data: { accountId: 'acme-live', holderId: 'h1', status: 'blocked', requestId, requestedAt },
    }));
  });
});
