export { EventStoreDbTestServer, type TestServerOptions } from './eventstoredb-test-server';
export { type Fault, type Faults, type PausedCall, type Method } from './faults';
export { type StoredEvents, type StoredEvent } from './stored-log';
