import { expectPinnedState } from '@florin/event-sourcing/testing';
import { endpointAggregate } from './endpoint.decider';
import type { EndpointEvent } from './endpoint.messages';
import * as sample from './testing/sample-endpoint';

describe('The state of webhook endpoints in a snapshot', () => {
  const history: readonly EndpointEvent[] = [
    sample.registered(),
    sample.registered(sample.secondEndpoint),
    sample.updated({ description: 'Shop' }),
    sample.disabled('failing'),
    sample.enabled,
    sample.rotated('s2', 's1', 'q1'),
    sample.tested(),
    sample.recovery('2030-01-01T00:00:00.000Z'),
    sample.resent('e1'),
    sample.triggered('card.created'),
    sample.removed('e2'),
  ];

  it('is pinned to its version', () => {
    expectPinnedState(endpointAggregate, history, {
      stateVersion: 1,
      hash: '97a8a6188684165667a57a87ce34f6b14d55087813982c96edd6dd53adea2e18',
    });
  });
});
