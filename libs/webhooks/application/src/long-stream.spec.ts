import { CommandHandler, type RecordedEvent } from '@florin/event-sourcing';
import { InMemoryEventStore, InMemorySnapshotStore } from '@florin/event-sourcing/testing';
import { randomId, serviceActor } from '@florin/kernel';
import { manualClock } from '@florin/kernel/testing';
import { type EndpointCommand, endpointAggregate } from '@florin/webhooks-domain';

jest.setTimeout(60_000);

const accountId = 'acme-sandbox';
const startMs = Date.parse('2030-01-01T00:00:00.000Z');
const headers = { correlationId: 'c', causationId: 'c', actor: serviceActor('test') };

class CountingStore extends InMemoryEventStore {
  eventsRead = 0;

  override async *readStream(stream: string, fromRevision?: number): AsyncGenerator<readonly RecordedEvent[]> {
    for await (const page of super.readStream(stream, fromRevision)) {
      this.eventsRead += page.length;
      yield page;
    }
  }
}

/** As often as in Postgres. */
class RareSnapshots extends InMemorySnapshotStore {
  override readonly minEvents = 2_000;
  override readonly bytesPerEvent = 300;
}

const sample = (ms: number): EndpointCommand => ({
  type: 'TriggerSample',
  data: {
    ...{ accountId, companyId: 'acme', environment: 'sandbox', eventType: 'card.created' },
    ...{ requestId: randomId(), now: new Date(startMs + ms).toISOString() },
  },
});

it('loads a stream of 17,000 events from a snapshot', async () => {
  const store = new CountingStore();
  const options = { store, snapshots: new RareSnapshots(), clock: manualClock(new Date(startMs).toISOString()) };
  const newHandler = () => new CommandHandler(endpointAggregate, options);
  const before = newHandler();
  for (let first = 0; first < 17_000; first += 1_000) {
    const commands = Array.from({ length: 1_000 }, (_, index) => sample(first + index));
    await Promise.all(commands.map((command) => before.handle(accountId, command, { id: randomId(), headers })));
  }
  store.eventsRead = 0;
  await newHandler().handle(accountId, sample(20_000), { id: randomId(), headers });
  // The state has 10,000 requests, so the snapshots are rarer than one per 2,000 events.
  expect(store.eventsRead).toBeLessThan(8_000);
});
