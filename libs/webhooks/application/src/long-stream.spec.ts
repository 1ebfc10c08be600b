import { longStream } from '@florin/event-sourcing/testing';
import { randomId } from '@florin/kernel';
import { type EndpointCommand, endpointAggregate } from '@florin/webhooks-domain';

jest.setTimeout(60_000);

const startMs = Date.parse('2030-01-01T00:00:00.000Z');

const sample = (_: unknown, ms: number): EndpointCommand => ({
  type: 'TriggerSample',
  data: {
    ...{ accountId: '1', companyId: 'acme', environment: 'sandbox', eventType: 'card.created' },
    ...{ requestId: randomId(), now: new Date(startMs + ms).toISOString() },
  },
});

it('loads a stream of 17,000 events from a snapshot', async () => {
  const { eventsStored, eventsRead } = await longStream(endpointAggregate, Array.from({ length: 17_000 }, sample));
  expect(eventsStored).toBe(17_000);
  // The state has 10,000 requests, so the snapshots are rarer than one per 2,000 events.
  expect(eventsRead).toBeLessThan(8_000);
});
