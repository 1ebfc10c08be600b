export * from './kafka-command-bus.adapter';
export * from './kafka-command-bus-options';
export * from './kafka-transport';
