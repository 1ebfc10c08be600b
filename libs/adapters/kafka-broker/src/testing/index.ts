export { BROKER_PATIENCE_MS, testBroker } from './test-broker';
