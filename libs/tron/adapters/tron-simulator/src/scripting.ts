import type { Fault, NodeRequest } from './faults';
import type { Filling, SimBlock } from './simulated-block';
import type { SimTransaction, TransferTerms } from './transactions';

export interface BlockReference {
  readonly number: number;
  readonly id: string;
  readonly time: string;
}

export interface SimState {
  /** The token that stands for USDT: `TRON_USDT_CONTRACT`. */
  readonly contract: string;
  /** The number of the block that the chain begins with. */
  readonly firstBlock: number;
  readonly head: BlockReference;
  readonly solidHead: BlockReference;
  /** How many requests came in all, the newest of them, and how many connections. */
  readonly requestCount: number;
  readonly requests: readonly NodeRequest[];
  readonly connections: number;
}

export interface ForkPlan {
  /** How many of the newest blocks are replaced. */
  readonly depth: number;
  /** The transactions of the blocks that come instead; as many empty blocks where it is missing. */
  readonly blocks?: readonly (readonly SimTransaction[])[];
  /** Also final blocks, as no sound chain would. */
  readonly evenFinal?: boolean;
}

type Soon<Value> = Value | Promise<Value>;

/** What a script can do to a simulated chain and its node, in this process or, by `TronSimulatorClient`, in another. */
export interface TronScripting {
  mine(...transactions: readonly SimTransaction[]): Soon<SimBlock>;
  mineEmpty(count: number): Soon<void>;
  /** A block with one transfer of USDT. */
  pay(terms: TransferTerms): Soon<SimBlock>;
  fill(blocks: number, filling: Filling): Soon<void>;
  solidify(count?: number): Soon<void>;
  fork(plan: ForkPlan): Soon<void>;
  /** The time of the next block. */
  setTime(time: string): Soon<void>;
  fault(fault: Fault): Soon<void>;
  lagBehind(blocks: number): Soon<void>;
  throttle(requestsPerSecond: number): Soon<void>;
  /** Ends all faults. */
  heal(): Soon<void>;
  state(): Soon<SimState>;
}
