import { expectPinnedState } from '@florin/event-sourcing/testing';
import { apiKeyAggregate } from './api-key.decider';
import type { ApiKeyEvent } from './api-key.messages';

const keyId = 'k1';
const at = '2030-01-01T00:00:00.000Z';

describe('The state of an API key in a snapshot', () => {
  const history: readonly ApiKeyEvent[] = [
    {
      type: 'ApiKeyIssued',
      data: {
        ...{ keyId, companyId: 'c1', environment: 'sandbox', name: 'Checkout', scopes: ['cards:read'] },
        ...{ secretHash: 'hash-1', hint: 'aaaa', issuedAt: at, expiresAt: '2031-01-01T00:00:00.000Z' },
      },
    },
    { type: 'ApiKeyRotated', data: { keyId, secretHash: 'hash-2', hint: 'bbbb', rotatedAt: at, overlapUntil: at } },
    { type: 'ApiKeyRevoked', data: { keyId, revokedAt: at } },
  ];

  it('is pinned to its version', () => {
    expectPinnedState(apiKeyAggregate, history, {
      stateVersion: 1,
      hash: '18076f83932c45b6af4745625e957489b231e71c5c87495ce86487d24ae61cb8',
    });
  });
});
