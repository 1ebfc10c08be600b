export * from './chain.contract';
export * from './in-memory-chain';
