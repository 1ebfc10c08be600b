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
    { type: 'HolderErased', data: { holderId: 'h1' } },
  ];

  it('is pinned to its version', () => {
    expectPinnedState(holderAggregate, history, {
      stateVersion: 1,
      hash: 'e38d51bebdbedaa66d8930db16c1f2f43711da7f958a8bcc91563824e4ba934d',
    });
  });

  it('has the newest status changes', () => {
    expectBoundedRequests(holderAggregate, [registered], (requestId, requestedAt): HolderCommand => ({
      type: 'SetHolderStatus',
      data: { accountId: 'acme-live', holderId: 'h1', status: 'blocked', requestId, requestedAt },
    }));
  });
});
