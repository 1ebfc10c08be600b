import { specFor } from '@florin/event-sourcing/testing';
import { endpointAnswer } from './endpoint-answer';
import { endpointDecider } from './endpoint.decider';
import { endpointAggregate } from './endpoint.aggregate';
import { type EndpointCommand, type EndpointEvent, type EndpointRefusal } from './endpoint.messages';
import * as sample from './testing/sample-endpoint';

const { disabled, recover, recovery, registered, removed, resend, resent, rotate, rotated, second } = sample;
const { test, tested, trigger, triggered } = sample;
const { given } = specFor(endpointAggregate);

const since = '2029-12-31T00:00:00.000Z';

describe('A request to an endpoint', () => {
  it('gives it a new secret, and names the one before it', () => {
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

  it('tests it, or sends what it has missed, as often as is asked', () => {
    given(registered()).when(test()).then(tested());
    given(registered(), tested()).when(test('t2')).then(tested('t2'));
    given(registered()).when(recover(since)).then(recovery(since));
    given(registered(), recovery(since)).when(recover(since, 'c2')).then(recovery(since, 'c2'));
  });

  it('sends an event again, to one endpoint or to all, of which there may be none', () => {
    given(registered()).when(resend('e1')).then(resent('e1'));
    given(registered(), disabled('gone')).when(resend()).then(resent());
    given().when(resend()).then(resent());
  });

  it('makes a sample, in the sandbox alone', () => {
    given().when(trigger('card.created')).then(triggered('card.created'));
    given()
      .when(trigger('card.created', 'y1', 'live'))
      .thenRefused('sandbox_only');
  });

  it('is granted once, even where it could not be granted any more', () => {
    const past = [registered(), tested(), recovery(since), rotated('s2', 's1', 'q1'), resent('e1')];
    for (const later of [[], [disabled('failing')], [removed()]]) {
      for (const repeat of [test(), recover(since), rotate('s2', 'q1'), resend('e1')]) {
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
    ['to test what is not there', [registered()], test('t1', 'e2'), 'not_found'],
    ['to test what is deleted', [registered(), removed()], test(), 'not_found'],
    ['a secret for what is deleted', [registered(), removed()], rotate('s2', 'q1'), 'not_found'],
    ['to send to what is not there', [registered()], resend('e2'), 'not_found'],
    ['to test what gets nothing', [registered(), disabled('by_company')], test(), 'endpoint_disabled'],
    ['to recover what gets nothing', [registered(), disabled('gone')], recover(since), 'endpoint_disabled'],
    ['to send to what gets nothing', [registered(), disabled('gone')], resend('e1'), 'endpoint_disabled'],
  ])('is refused: %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });

  it('is answered with the endpoint it is about, if any', () => {
    const past = [registered(), registered(second), tested('t1', 'e2')];
    const directory = past.reduce(endpointDecider.evolve, endpointDecider.initialState());
    expect(endpointAnswer(directory, test('t1', 'e2'))).toMatchObject({ id: 'e2', status: 'enabled' });
    expect(endpointAnswer(directory, resend('e1'))).toMatchObject({ id: 'e1' });
    expect(endpointAnswer(directory, resend())).toBeNull();
    expect(endpointAnswer(directory, trigger('card.created'))).toBeNull();
  });
});
