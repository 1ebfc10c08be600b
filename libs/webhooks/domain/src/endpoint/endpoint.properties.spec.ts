import { runWithRedeliveries } from '@florin/event-sourcing/testing';
import * as fc from 'fast-check';
import { endpointAggregate } from './endpoint.decider';
import type { EndpointCommand } from './endpoint.messages';
import {
  disable,
  recover,
  register,
  remove,
  resend,
  rotate,
  testEndpoint,
  trigger,
  update,
} from './testing/sample-endpoint';

type Make = (requestId: string, now: string) => EndpointCommand;

const makers: readonly Make[] = [
  (requestId, now) => update({ status: 'enabled', now }, requestId),
  (requestId, now) => update({ status: 'disabled', now }, requestId),
  (requestId, now) => update({ url: `https://example.com/${requestId}`, now }, requestId),
  (requestId, now) => update({ description: null, now }, requestId),
  (_requestId, now) => disable('gone', 'e1', now),
  (requestId) => rotate(`s ${requestId}`, requestId),
  (requestId) => testEndpoint(requestId),
  (requestId, now) => recover(now, requestId),
  (requestId) => resend('e1', requestId),
  (requestId) => trigger('card.created', requestId),
];

/** Times increase, but some are equal. */
const wishes = fc.array(fc.tuple(fc.constantFrom(...makers), fc.boolean()), { maxLength: 30 }).map((list) => {
  let nowMs = Date.parse('2030-01-01T00:00:00.000Z');
  return list.map(([make, later], index) => {
    if (later) nowMs += 1;
    return make(`q${index}`, new Date(nowMs).toISOString());
  });
});

it('accepts no request twice when old requests are delivered again at any time', () => {
  const deletions = fc.constantFrom<readonly EndpointCommand[]>([], [remove()]);
  fc.assert(
    fc.property(wishes, deletions, fc.array(fc.nat(), { minLength: 32, maxLength: 32 }), (list, end, again) => {
      const log = runWithRedeliveries(endpointAggregate, [register(), ...list, ...end], again);
      const granted = log.flatMap(({ data }) => ('requestId' in data ? [data.requestId] : []));
      expect(granted).toHaveLength(new Set(granted).size);
    }),
    { numRuns: 500 },
  );
});
