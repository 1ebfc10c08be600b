import type { TokenTransfer } from '@florin/tron-domain';

/** A solidified block: no honest node will ever show another one of this number. */
export interface BlockHead {
  readonly number: number;
  readonly id: string;
  /** ISO 8601. */
  readonly time: string;
}

export interface Block extends BlockHead {
  readonly parentId: string;
  /**
   * Every transfer of more than nothing of the watched token to a watched address, by a transaction that succeeded, in the
   * order of the chain. All of them or, by a rejection, none: a block of which something is missing is not read.
   */
  readonly transfers: readonly TokenTransfer[];
}

/**
 * The chain as one node shows it; only what is solidified. What every adapter promises stands in
 * `testing/chain.contract.ts`. Both reject with `ChainUnavailable` for whatever may come right by itself.
 */
export interface Chain {
  /** The newest block that the node has. Another node, or the same one later, may be behind it. */
  solidHead(): Promise<BlockHead>;
  readBlock(number: number): Promise<Block>;
}

/** The node does not answer, is behind, or answers with something that cannot be. The next attempt may be luckier. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';
  /** How long the node asks to be left alone. */
  readonly retryAfterMs?: number;

  constructor(message: string, options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

export const CHAIN = Symbol('Chain');
