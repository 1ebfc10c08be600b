export * from './audit-events';
export * from './sample-log';
