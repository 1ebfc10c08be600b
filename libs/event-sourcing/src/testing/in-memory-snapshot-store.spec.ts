import { InMemorySnapshotStore } from './in-memory-snapshot-store';
import { snapshotStoreContract } from './snapshot-store.contract';

snapshotStoreContract('InMemorySnapshotStore', async () => ({
  store: new InMemorySnapshotStore(),
  close: async () => undefined,
}));
