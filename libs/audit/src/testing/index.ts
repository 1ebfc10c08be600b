export * from './audit-events';
export * from './sample-log';
export * from './unload-log';
