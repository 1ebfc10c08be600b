export { PostgresCheckpointStore, type PostgresCheckpointStoreOptions } from './postgres-checkpoint-store.adapter';
export { PostgresLogCheckpoints } from './postgres-log-checkpoints';
