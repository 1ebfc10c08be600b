export { type CallbackResult, type HeldCallbacks } from './callbacks';
export { type Authorization, type CardNetwork, type CardPurchase, type SimulatedCard } from './card-network';
export { amountFor, type IssuerBehavior, type IssuerOrder, type PlannedBehavior } from './issuer-behaviors';
export { IssuerSimulator, type IssuerSimulatorOptions, readIssuerCalls } from './issuer-simulator';
export type { IssuerCall, IssuerScripting, IssuerSimulatorState, LateOutcome } from './scripting';
export type { IssuerRule } from './issuer-rules';
