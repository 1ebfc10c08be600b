import type { CallbackResult, Callbacks, Held, SentCallback } from './callbacks';
import type { CardNetwork, SimulatedCard } from './card-network';
import type { IssuerBehavior, IssuerOrder } from './issuer-behaviors';
import type { IssuerRule, IssuerRules } from './issuer-rules';

/** One received call. */
export interface IssuerCall {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey?: string;
  /** Whether the signature was valid. */
  readonly signed: boolean;
  readonly order: IssuerOrder;
  readonly receivedAt: string;
  readonly behavior: IssuerBehavior;
  /** How long the issuer waits before it does so. */
  readonly delayMs: number;
}

/** What the issuer reports about an operation whose response was lost. */
export interface LateOutcome {
  readonly operationId: string;
  readonly outcome: 'accepted' | 'declined';
}

export interface IssuerSimulatorState {
  readonly calls: readonly IssuerCall[];
  readonly cards: readonly SimulatedCard[];
  readonly callbacks: readonly SentCallback[];
  readonly rules: readonly IssuerRule[];
}

/** What a script can do with the simulator. */
export interface IssuerScripting {
  readonly rules: IssuerRules;
  readonly callbacks: Callbacks;
  readonly network: CardNetwork;
  confirm(outcome: LateOutcome): Promise<CallbackResult | Held>;
  state(): IssuerSimulatorState;
}
