export * from './sample-log';
