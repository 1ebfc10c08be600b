export { isFree } from './free-port';
export { KafkaBroker, type KafkaBrokerOptions } from './kafka-broker';
export { provideKafka } from './kafka-distribution';
export type { KafkaDistribution } from './kafka-installation';
