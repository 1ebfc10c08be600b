export * from './config';
export * from './log';
export * from './run-service';
export * from './start-service';
export * from './open-event-log';
export * from './projector/run-projector-thread';
export { operationsOptions } from './operations-ports';
export { invoicingOptions, tronModules } from './funding-ports';
export { webhooksOptions } from './webhook-ports';
