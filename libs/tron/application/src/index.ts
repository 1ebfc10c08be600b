export * from './chain.port';
export * from './recorded-chain';
export * from './tron-options';
export * from './tron-watcher';
export * from './tron.module';
