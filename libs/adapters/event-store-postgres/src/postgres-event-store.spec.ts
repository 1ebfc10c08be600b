import { createTestDatabase } from '@florin/database/testing';
import { eventStoreContract } from '@florin/event-sourcing/testing';
import { PostgresEventStore } from './postgres-event-store.adapter';

eventStoreContract('PostgresEventStore', async () => {
  const database = await createTestDatabase();
  const stores = [new PostgresEventStore(database.connection)];
  return {
    store: stores[0]!,
    openAnother: async () => {
      const another = new PostgresEventStore(database.connection);
      stores.push(another);
      return another;
    },
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await database.drop();
    },
  };
});
