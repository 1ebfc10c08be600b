export { descendantsOf } from './descendants';
export { BROKER_TIMEOUT_MS, testBroker } from './test-broker';
export {
  describeWithEventStoreDb,
  EVENTSTOREDB_TIMEOUT_MS,
  startTestEventStoreDb,
  startTestEventStoreDbCluster,
} from './test-eventstoredb';
