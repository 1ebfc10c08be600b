export { PostgresSnapshotStore, type PostgresSnapshotStoreOptions } from './postgres-snapshot-store.adapter';
export { storedSnapshots } from './stored-snapshots';
