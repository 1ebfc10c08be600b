export { FakeEventStoreDb } from './fake-eventstoredb';
export type { Fault } from './faults';
