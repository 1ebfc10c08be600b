export { PostgresSnapshotStore, type SnapshotLog } from './postgres-snapshot-store.adapter';
