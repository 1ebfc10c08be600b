export { isTronAddress } from './tron-address';
export type { ConnectToNode, NodeConnection } from './node-connection';
export * from './tron-node-chain.adapter';
