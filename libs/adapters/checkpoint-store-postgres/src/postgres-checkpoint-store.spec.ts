import { createTestDatabase } from '@florin/database/testing';
import { checkpointStoreContract } from '@florin/event-sourcing/testing';
import { Pool, type PoolClient } from 'pg';
import { PostgresCheckpointStore } from './postgres-checkpoint-store.adapter';

checkpointStoreContract<PoolClient>('PostgresCheckpointStore', async () => {
  const database = await createTestDatabase();
  const observer = new Pool({ ...database.connection });
  await observer.query('CREATE TABLE notes (note text)');
  const stores: PostgresCheckpointStore[] = [];
  const open = (name: string): PostgresCheckpointStore => {
    const store = new PostgresCheckpointStore({ ...database.connection, application_name: name });
    stores.push(store);
    return store;
  };
  return {
    store: open('main'),
    openAnother: async () => {
      const name = `another ${stores.length}`;
      const store = open(name);
      const crash = async (): Promise<void> => {
        await observer.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
          name,
        ]);
      };
      return { store, crash };
    },
    write: async (tx, text) => void (await tx.query('INSERT INTO notes VALUES ($1)', [text])),
    written: async () =>
      (await observer.query<{ note: string }>('SELECT note FROM notes')).rows.map(({ note }) => note),
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await observer.end();
      await database.drop();
    },
  };
});
