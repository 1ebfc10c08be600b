export { EventStoreDbTestServer, type TestServerOptions } from './eventstoredb-test-server';
export { type Fault, type Faults, type Hold, type Method } from './faults';
export { type History, type StoredEvent } from './stored-log';
