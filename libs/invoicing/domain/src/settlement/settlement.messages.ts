import type { Command } from '@florin/kernel';
import type { TokenTransfer } from '@florin/tron-domain';

/**
 * What a block range of the chain brought, answered once all of it is recorded: every transfer in its order, and then that
 * nothing else happened up to `toBlockTime`. Sent in the order of the chain.
 */
export type SettleBlocks = Command<
  'SettleBlocks',
  { readonly transfers: readonly TokenTransfer[]; readonly toBlockTime: string }
>;
