import type { TokenTransfer } from '@florin/tron-domain';

/** A solidified block. It is final: a correct node never returns another block with this number. */
export interface BlockHead {
  readonly number: number;
  readonly id: string;
  /** ISO 8601. */
  readonly time: string;
}

export interface Block extends BlockHead {
  readonly parentId: string;
  /**
   * Every transfer of the watched token to a watched address, in a successful transaction, of more than zero, in the
   * order of the chain. An incomplete block is rejected as a whole.
   */
  readonly transfers: readonly TokenTransfer[];
}

/**
 * The solidified blocks of one node. `testing/chain.contract.ts` specifies every adapter. Its methods reject with
 * `ChainUnavailable` when a retry may succeed.
 */
export interface Chain {
  /** The watched addresses, sorted. */
  readonly addresses: readonly string[];
  /** The newest block of the node. Another node, or the same one later, may return an older block. */
  solidHead(): Promise<BlockHead>;
  readBlock(number: number): Promise<Block>;
}

/** The node is unreachable, lags, or returned an invalid response. A retry may succeed. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';
  /** The node's Retry-After. */
  readonly retryAfterMs?: number;

  constructor(message: string, options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

export const CHAIN = Symbol('Chain');
