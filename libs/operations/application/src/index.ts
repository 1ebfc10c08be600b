export * from './issuer.port';
export type { OperationAnswer } from './operation-answer';
export * from './operations-options';
export * from './operations.module';
export * from './operations.process';
export * from './operations.watchdog';
export * from './unfinished-operations.port';
