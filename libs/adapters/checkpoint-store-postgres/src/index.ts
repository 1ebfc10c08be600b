export { PostgresCheckpointStore, type PostgresCheckpointStoreOptions } from './postgres-checkpoint-store.adapter';
