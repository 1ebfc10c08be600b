export * from './key-wrapper.contract';
export * from './test-vault-keys';
export * from './until';
