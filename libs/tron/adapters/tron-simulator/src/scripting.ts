import type { Fault, NodeRequest } from './faults';
import type { Filling, SimBlock } from './simulated-block';
import type { SimTransaction, TransferTerms } from './transactions';

export interface BlockReference {
  readonly number: number;
  readonly id: string;
  readonly time: string;
}

export interface SimState {
  /** The token that represents USDT: `TRON_USDT_CONTRACT`. */
  readonly contract: string;
  /** The number of the first block. */
  readonly firstBlock: number;
  readonly head: BlockReference;
  readonly solidHead: BlockReference;
  /** The number of all requests, the newest requests, and the number of connections. */
  readonly requestCount: number;
  readonly requests: readonly NodeRequest[];
  readonly connections: number;
}

export interface ForkPlan {
  /** The number of newest blocks that are replaced. */
  readonly depth: number;
  /** The transactions of the replacing blocks; the same number of empty blocks by default. */
  readonly blocks?: readonly (readonly SimTransaction[])[];
  /** Also replaces final blocks, which a correct chain never does. */
  readonly evenFinal?: boolean;
}

type MaybePromise<Value> = Value | Promise<Value>;

/** Controls a simulated chain and its node, in this process or through `tronSimulatorClient` in another. */
export interface TronScripting {
  mine(...transactions: SimTransaction[]): MaybePromise<SimBlock>;
  mineEmpty(count: number): MaybePromise<void>;
  /** Mines a block with one USDT transfer. */
  pay(terms: TransferTerms): MaybePromise<SimBlock>;
  fill(blocks: number, filling: Filling): MaybePromise<void>;
  solidify(count?: number): MaybePromise<void>;
  fork(plan: ForkPlan): MaybePromise<void>;
  /** The time of the next block. */
  setTime(time: string): MaybePromise<void>;
  fault(fault: Fault): MaybePromise<void>;
  lagBehind(blocks: number): MaybePromise<void>;
  throttle(requestsPerSecond: number): MaybePromise<void>;
  /** Ends all faults. */
  heal(): MaybePromise<void>;
  state(): MaybePromise<SimState>;
}
