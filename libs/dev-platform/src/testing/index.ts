export { descendantsOf } from './descendants';
export { FakeIssuer, type FakeIssuerOptions, type IssuerCall, readIssuerCalls } from './issuer/fake-issuer';
export { amountFor, type IssuerBehavior, type IssuerOrder, type PlannedBehavior } from './issuer/issuer-behaviors';
export { BROKER_TIMEOUT_MS, testBroker } from './test-broker';
export { describeWithEventStoreDb, EVENTSTOREDB_TIMEOUT_MS, startTestEventStoreDb } from './test-eventstoredb';
