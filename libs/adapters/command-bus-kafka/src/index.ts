export type { BusTrust } from './bus-trust.port';
export * from './kafka-command-bus.adapter';
export * from './kafka-command-bus-options';
export * from './kafka-transport';
export { MessageSigner } from './message-signer';
