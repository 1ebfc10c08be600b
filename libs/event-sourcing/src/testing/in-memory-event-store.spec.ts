import { eventStoreContract } from './event-store.contract';
import { InMemoryEventStore } from './in-memory-event-store';

eventStoreContract('The event store in memory', async () => ({
  store: new InMemoryEventStore(),
  close: async () => undefined,
}));
