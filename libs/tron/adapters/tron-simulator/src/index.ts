export type { Fault, NodeMethod, NodeRequest } from './faults';
export type { BlockReference, ForkPlan, SimState, TronScripting } from './scripting';
export { simulatedAddress, simulatedContract } from './simulated-address';
export type { Filling, SimBlock } from './simulated-block';
export {
  call,
  type EventLog,
  type Outcome,
  type SimTransaction,
  transfer,
  type TransferTerms,
  transferTopic,
} from './transactions';
export { TronSimulator, type TronSimulatorOptions } from './tron-simulator';
export { type TronSimulatorClient, tronSimulatorClient } from './tron-simulator.client';
