export * from './scripted-responses';
export * from './forbidden-urls';
export * from './queue-fixture';
export * from './receiver';
export * from './self-signed';
