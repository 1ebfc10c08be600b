import { expectBoundedRequests, expectPinnedState } from '@florin/event-sourcing/testing';
import { companyAggregate } from './company.decider';
import type { CompanyCommand, CompanyEvent } from './company.messages';

const registered: CompanyEvent = {
  type: 'CompanyRegistered',
  data: { companyId: 'c1', name: 'Acme', kind: 'corporate' },
};

describe('The state of a company in a snapshot', () => {
  const requestedAt = '2030-01-01T00:00:00.000Z';
  const history: readonly CompanyEvent[] = [
    registered,
    // As old releases stored them.
    { type: 'VerificationChanged', data: { companyId: 'c1', status: 'rejected' } },
    { type: 'VerificationChanged', data: { companyId: 'c1', status: 'pending', requestId: 'r1' } },
    { type: 'VerificationChanged', data: { companyId: 'c1', status: 'approved', requestId: 'r2', requestedAt } },
    { type: 'ActivationChanged', data: { companyId: 'c1', capability: 'services', active: true, requestId: 'r3' } },
  ];

  it('is pinned to its version', () => {
    expectPinnedState(companyAggregate, history, {
      stateVersion: 1,
      hash: '3d1d943f3aa00668b0027a672799327a885142eed56b39b631bd4069c3e1bad7',
    });
  });

  it('has the newest requests', () => {
    expectBoundedRequests(companyAggregate, [registered], (requestId, requestedAt): CompanyCommand => ({
      type: 'SetVerification',
      data: { companyId: 'c1', status: 'approved', requestId, requestedAt },
    }));
    expectBoundedRequests(companyAggregate, [registered], (requestId, requestedAt): CompanyCommand => ({
      type: 'SetActivation',
      data: { companyId: 'c1', capability: 'services', active: true, requestId, requestedAt },
    }));
  });
});
