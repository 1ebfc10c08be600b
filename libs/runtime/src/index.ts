export * from './config';
export * from './log';
export * from './run-service';
export * from './start-service';
export * from './open-event-log';
