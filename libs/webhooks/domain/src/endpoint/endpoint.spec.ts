import { specFor } from '@florin/event-sourcing/testing';
import { endpointAnswer } from './endpoint-answer';
import { endpointAggregate, maximumEndpoints } from './endpoint.decider';
import { type EndpointCommand, type EndpointEvent, type EndpointRefusal } from './endpoint.messages';
import * as sample from './testing/sample-endpoint';

const { disable, disabled, enabled, now, register, registered, remove, removed, secondEndpoint, update, updated } =
  sample;
const { given } = specFor(endpointAggregate);

const answerAfter = (command: EndpointCommand, ...events: readonly EndpointEvent[]) =>
  endpointAnswer(events.reduce(endpointAggregate.evolve, endpointAggregate.initialState()), command);

describe('a webhook endpoint', () => {
  it('is registered once', () => {
    given().when(register()).then(registered());
    given(registered()).when(register(secondEndpoint)).then(registered(secondEndpoint));
    const wanted = { events: ['card.created'], description: 'The shop' } as const;
    given().when(register(wanted)).then(registered(wanted));
  });

  it('accepts a repeated registration after later changes', () => {
    given(registered(), updated({ url: 'https://example.com/other' }))
      .when(register())
      .then();
    given(registered(), removed()).when(register()).then();
  });

  it('is refused above the limit, which does not count deleted endpoints', () => {
    const all = Array.from({ length: maximumEndpoints }, (_, index) =>
      registered({ endpointId: `e${index}`, requestId: `r${index}` }),
    );
    const another = register({ endpointId: 'new', requestId: 'new' });
    given(...all)
      .when(another)
      .thenRefused('too_many_endpoints');
    given(...all, removed('e7'))
      .when(another)
      .then(registered({ endpointId: 'new', requestId: 'new' }));
    given(...all)
      .when(register({ endpointId: 'e3', requestId: 'r3' }))
      .then();
  });

  it('changes the given settings and keeps the others', () => {
    const before = registered({ events: ['card.created'], description: 'The shop' });
    const url = 'https://example.com/other';
    given(before)
      .when(update({ url }))
      .then(updated({ url, events: ['card.created'], description: 'The shop' }));
    given(before)
      .when(update({ events: null }))
      .then(updated({ description: 'The shop' }));
    given(before)
      .when(update({ description: null }))
      .then(updated({ events: ['card.created'] }));
    given(registered())
      .when(update({ events: ['card.created'] }))
      .then(updated({ events: ['card.created'] }));
  });

  it('records a request without changes and accepts each request once', () => {
    const url = 'https://example.com/other';
    given(registered())
      .when(update({ url: registered().data.url, status: 'enabled' }))
      .then(updated());
    given(registered(), updated({ url }), updated({}, 'u2')).when(update({ url })).then();
    given(registered(), updated(), enabled, updated({}, 'u2'), disabled('by_company'))
      .when(update({ status: 'enabled' }))
      .then();
    given(registered(), updated({ url }), removed()).when(update({ url })).then();
  });

  it('is disabled and enabled, together with other changes', () => {
    given(registered())
      .when(update({ status: 'disabled' }))
      .then(updated(), disabled('by_company'));
    given(registered(), disabled('gone'))
      .when(update({ status: 'enabled', description: 'Mended' }))
      .then(updated({ description: 'Mended' }), enabled);
  });

  it('applies updates without request ids', () => {
    const { requestId: _, ...data } = updated({ description: 'The shop' }).data;
    given(registered(), { type: 'EndpointUpdated', data })
      .when(update({ url: 'https://example.com/other' }))
      .then(updated({ url: 'https://example.com/other', description: 'The shop' }));
  });

  it('keeps the first reason for which it was disabled', () => {
    given(registered()).when(disable('gone')).then(disabled('gone'));
    given(registered(), disabled('failing')).when(disable('gone')).then();
    given(registered(), disabled('failing'))
      .when(update({ status: 'disabled' }))
      .then(updated());
  });

  it('ignores a decision to disable it from before it was enabled', () => {
    const later = '2030-01-01T00:00:00.001Z';
    const past = [registered(), disabled('failing'), enabled];
    given(...past)
      .when(disable('gone', 'e1', later))
      .then(disabled('gone', later));
    given(...past)
      .when(disable('failing'))
      .then();
  });

  it('is deleted once', () => {
    given(registered(), disabled('gone')).when(remove()).then(removed());
  });

  it.each<[string, readonly EndpointEvent[], EndpointCommand, EndpointRefusal]>([
    ['other data with the same request id', [registered()], register({ fingerprint: 'f9' }), 'idempotency_conflict'],
    ['another request for the same endpoint id', [registered()], register({ requestId: 'r9' }), 'idempotency_conflict'],
    ['to change an unknown endpoint', [], update({ description: 'x' }), 'not_found'],
    ['to change a deleted endpoint', [registered(), removed()], update({ status: 'enabled' }), 'not_found'],
    ['to disable an unknown endpoint', [registered()], disable('gone', 'e2'), 'not_found'],
    ['to disable a deleted endpoint', [registered(), removed()], disable('gone'), 'not_found'],
    ['to delete an unknown endpoint', [registered()], remove('e2'), 'not_found'],
  ])('refuses %s', (_case, past, command, code) => {
    given(...past)
      .when(command)
      .thenRefused(code);
  });

  it('returns its current state', () => {
    const past = [registered({ events: ['card.created'] }), updated({ description: 'The shop' }), disabled('failing')];
    expect(answerAfter(update({}), ...past)).toStrictEqual({
      ...{ id: 'e1', url: 'https://example.com/hooks', description: 'The shop' },
      ...{ status: 'disabled', disabledReason: 'failing', createdAt: now },
    });
    const enabledAgain = answerAfter(update({}), ...past, enabled);
    expect(enabledAgain).toMatchObject({ status: 'enabled' });
    expect(enabledAgain).not.toHaveProperty('disabledReason');
  });

  it('returns the same for a repeated registration', () => {
    const first = answerAfter(register(), registered());
    expect(first).toEqual({ id: 'e1', url: 'https://example.com/hooks', status: 'enabled', createdAt: now });
    const since = [updated({ url: 'https://example.com/other' }), disabled('gone'), removed()];
    expect(answerAfter(register(), registered(), ...since)).toEqual(first);
  });

  it('fails for events before the registration', () => {
    expect(() => answerAfter(update({}), disabled('gone'))).toThrow(/before the registration/);
  });
});
