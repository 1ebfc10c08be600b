export { AppendOutcomeUnknown, AppendRefused, EventStoreUnreachable } from './append-failures';
export { EventStoreDbEventStore, type EventStoreDbEventStoreOptions } from './eventstoredb-event-store.adapter';
export { EventStoreOverloaded } from './turnstile';
