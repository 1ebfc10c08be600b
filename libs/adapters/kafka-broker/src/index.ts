export { isFree } from './free-port';
export { KafkaBroker, type KafkaBrokerOptions } from './kafka-broker';
export { provideKafka, type KafkaDistribution } from './kafka-distribution';
