export { isTronAddress } from './tron-address';
export * from './tron-node-chain.adapter';
