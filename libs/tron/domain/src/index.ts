export * from './chain/chain.decider';
export * from './chain/chain.messages';
export * from './chain/chain-segment';
export * from './chain/verification';
