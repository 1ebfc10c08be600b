export {
  PostgresSnapshotStore,
  type PostgresSnapshotStoreOptions,
  type SnapshotLog,
} from './postgres-snapshot-store.adapter';
