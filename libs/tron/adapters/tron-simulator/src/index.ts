export type { Fault, NodeMethod, NodeRequest } from './faults';
export type { Filling } from './filled-blocks';
export type { BlockReference, ForkPlan, SimState, TronScripting } from './scripting';
export { simulatedAddress, simulatedContract } from './simulated-address';
export type { SimBlock } from './simulated-chain';
export * from './transactions';
export { TronSimulator, type TronSimulatorOptions } from './tron-simulator';
export { TronSimulatorClient } from './tron-simulator.client';
