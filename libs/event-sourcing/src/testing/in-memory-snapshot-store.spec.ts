import { InMemorySnapshotStore } from './in-memory-snapshot-store';
import { snapshotStoreContract } from './snapshot-store.contract';

snapshotStoreContract('The snapshot store in memory', async () => ({
  store: new InMemorySnapshotStore(),
  close: async () => undefined,
}));
