export * from './in-process-command-bus.adapter';
export * from './in-process-transport';
