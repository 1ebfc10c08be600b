export { AppendOutcomeUnknown, EventStoreOverloaded, EventStoreUnreachable } from './append-failures';
export { PostgresEventStore, type PostgresEventStoreOptions } from './postgres-event-store.adapter';
