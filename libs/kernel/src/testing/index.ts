export * from './manual-clock';
export * from './until';
