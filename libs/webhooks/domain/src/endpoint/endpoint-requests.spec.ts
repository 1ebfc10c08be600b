import { specFor } from '@florin/event-sourcing/testing';
import { endpointAnswer } from './endpoint-answer';
import { endpointAggregate } from './endpoint.decider';
import { type EndpointCommand, type EndpointEvent, type EndpointRefusal } from './endpoint.messages';
import * as sample from './testing/sample-endpoint';

const { disabled, recover, recovery, registered, removed, resend, resent, rotate, rotated, secondEndpoint } = sample;
const { testEndpoint, tested, trigger, triggered } = sample;
const { given } = specFor(endpointAggregate);

const since = '2029-12-31T00:00:00.000Z';

describe('requests to endpoints', () => {
  it('rotates the secret and records the previous one', () => {
    given(registered())
      .when(rotate('s2', 'q1'))
      .then(rotated('s2', 's1', 'q1'));
    given(registered(), rotated('s2', 's1', 'q1'))
      .when(rotate('s3', 'q2'))
      .then(rotated('s3', 's2', 'q2'));
    given(registered(), disabled('gone'))
      .when(rotate('s2', 'q1'))
      .then(rotated('s2', 's1', 'q1'));
  });

  it('records each test and each recovery', () => {
    given(registered()).when(testEndpoint()).then(tested());
    given(registered(), tested()).when(testEndpoint('t2')).then(tested('t2'));
    given(registered()).when(recover(since)).then(recovery(since));
    given(registered(), recovery(since)).when(recover(since, 'c2')).then(recovery(since, 'c2'));
  });

  it('resends an event to one endpoint or to all, even if there are none', () => {
    given(registered()).when(resend('e1')).then(resent('e1'));
    given(registered(), disabled('gone')).when(resend()).then(resent());
    given().when(resend()).then(resent());
  });

  it('triggers a sample in the sandbox only', () => {
    given().when(trigger('card.created')).then(triggered('card.created'));
    given()
      .when(trigger('card.created', 'y1', 'live'))
      .thenRefused('sandbox_only');
  });

  it('accepts a repeated request that would be refused now', () => {
    const past = [registered(), tested(), recovery(since), rotated('s2', 's1', 'q1'), resent('e1')];
    for (const later of [[], [disabled('failing')], [removed()]]) {
      for (const repeat of [testEndpoint(), recover(since), rotate('s2', 'q1'), resend('e1')]) {
        given(...past, ...later)
          .when(repeat)
          .then();
      }
    }
  });

  it.each<[string, readonly EndpointEvent[], EndpointCommand, EndpointRefusal]>([
    ['another time under the same id', [registered(), recovery(since)], recover(sample.now), 'idempotency_conflict'],
    ['another event under the same id', [resent()], resend(undefined, 'x1', 'evt_2'), 'idempotency_conflict'],
    ['another endpoint under the same id', [registered(), resent()], resend('e1'), 'idempotency_conflict'],
    ['another type under the same id', [triggered('card.created')], trigger('holder.updated'), 'idempotency_conflict'],
    ['another request under the same id', [registered(), tested('q1')], rotate('s2', 'q1'), 'idempotency_conflict'],
    ['to test an unknown endpoint', [registered()], testEndpoint('t1', 'e2'), 'not_found'],
    ['to test a deleted endpoint', [registered(), removed()], testEndpoint(), 'not_found'],
    ['to rotate the secret of a deleted endpoint', [registered(), removed()], rotate('s2', 'q1'), 'not_found'],
    ['to resend to an unknown endpoint', [registered()], resend('e2'), 'not_found'],
    ['to test a disabled endpoint', [registered(), disabled('by_company')], testEndpoint(), 'endpoint_disabled'],
    ['to recover a disabled endpoint', [registered(), disabled('gone')], recover(since), 'endpoint_disabled'],
    ['to resend to a disabled endpoint', [registered(), disabled('gone')], resend('e1'), 'endpoint_disabled'],
  ])('refuses %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });

  it('returns the endpoint concerned, if any', () => {
    const past = [registered(), registered(secondEndpoint), tested('t1', 'e2')];
    const directory = past.reduce(endpointAggregate.evolve, endpointAggregate.initialState());
    expect(endpointAnswer(directory, testEndpoint('t1', 'e2'))).toMatchObject({ id: 'e2', status: 'enabled' });
    expect(endpointAnswer(directory, resend('e1'))).toMatchObject({ id: 'e1' });
    expect(endpointAnswer(directory, resend())).toBeNull();
    expect(endpointAnswer(directory, trigger('card.created'))).toBeNull();
  });
});
