export * from './spec-for';
export * from './command-bus.contract';
export * from './checkpoint-store.contract';
export * from './event-store.contract';
export * from './in-memory-checkpoint-store';
export * from './in-memory-event-store';
export * from './event-store-probe';
