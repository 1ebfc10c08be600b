export { PostgresSnapshotStore, type PostgresSnapshotStoreOptions } from './postgres-snapshot-store.adapter';
