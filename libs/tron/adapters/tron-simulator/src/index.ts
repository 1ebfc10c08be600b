export type { Fault, NodeMethod, NodeRequest } from './faults';
export type { BlockReference, ForkPlan, SimState, TronScripting } from './scripting';
export { simulatedAddress, simulatedContract } from './simulated-address';
export type { Filling, SimBlock } from './simulated-block';
export * from './transactions';
export { TronSimulator, type TronSimulatorOptions } from './tron-simulator';
export { TronSimulatorClient } from './tron-simulator.client';
