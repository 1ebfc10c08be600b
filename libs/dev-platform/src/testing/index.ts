export { BROKER_TIMEOUT_MS, testBroker } from './test-broker';
