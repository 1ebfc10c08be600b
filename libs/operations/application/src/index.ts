export * from './issuer.port';
export * from './operations-options';
export * from './operations.module';
export * from './operations.process';
export * from './operations.watchdog';
export * from './unfinished-operations.port';
