import { checkpointStoreContract } from './checkpoint-store.contract';
import { InMemoryCheckpointStore, type InMemoryTransaction } from './in-memory-checkpoint-store';

checkpointStoreContract<InMemoryTransaction>('InMemoryCheckpointStore', async () => {
  const store = new InMemoryCheckpointStore();
  const notes: string[] = [];
  return {
    store,
    openAnother: async () => {
      const another = store.another();
      return { store: another, crash: async () => another.crash() };
    },
    write: async (tx, text) => tx.onCommit(() => notes.push(text)),
    written: async () => notes,
    close: async () => undefined,
  };
});
