export { descendantsOf } from './descendants';
export { pauseProcess } from './pause-process';
export { BROKER_TIMEOUT_MS, testBroker } from './test-broker';
export {
  describeWithEventStoreDb,
  EVENTSTOREDB_TIMEOUT_MS,
  startSecuredTestEventStoreDb,
  startTestEventStoreDb,
  startTestEventStoreDbCluster,
  type SecuredTestEventStoreDb,
} from './test-eventstoredb';
