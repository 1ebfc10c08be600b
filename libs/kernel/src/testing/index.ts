export * from './decided-by-one';
export * from './key-wrapper.contract';
export * from './manual-clock';
export * from './test-vault-keys';
export * from './until';
