export { accessProblem, AppendRefused, isTransientEventStoreError } from './append-failures';
export { EventStoreDbEventStore, type EventStoreDbEventStoreOptions } from './eventstoredb-event-store.adapter';
export { appendInOrder } from './append-in-order';
export { findServerProblem } from './find-server-problem';
export { type GrantedRights, grantRights } from './grant-rights';
