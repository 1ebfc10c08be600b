import type { Command } from '@florin/kernel';
import type { TokenTransfer } from '@florin/tron-domain';

/**
 * Records all transfers of a block range and closes claims up to `toBlockTime`. Sent in the order of the chain.
 */
export type SettleBlocks = Command<
  'SettleBlocks',
  { readonly transfers: readonly TokenTransfer[]; readonly toBlockTime: string }
>;
