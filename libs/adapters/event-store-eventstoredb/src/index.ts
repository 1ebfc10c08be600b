export { AppendRefused, isTransientEventStoreError } from './append-failures';
export { EventStoreDbEventStore, type EventStoreDbEventStoreOptions } from './eventstoredb-event-store.adapter';
export { appendInOrder } from './append-in-order';
