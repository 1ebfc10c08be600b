import { deterministicId } from '@florin/kernel';
import type { BlocksRead, TokenTransfer } from '@florin/tron-domain';
import type { RecordDeposit } from '../address/address.messages';
import type { SettleBlocks } from './settlement.messages';

/** One key for all commands, so that they are handled in the order of the chain. */
export const settlementKey = 'chain';

/** The command for a recorded block range. */
export function settlementOf({ data: { transfers, toBlockTime } }: BlocksRead): SettleBlocks {
  return { type: 'SettleBlocks', data: { transfers, toBlockTime } };
}

/** The transaction id and the log index identify a deposit. */
export function depositOf(transfer: TokenTransfer): RecordDeposit {
  const { transactionId, logIndex, from, to: address, amount, blockNumber, blockTime } = transfer;
  const depositId = deterministicId('tron deposit', transactionId, String(logIndex));
  const deposit = { depositId, transactionId, logIndex, from, amount, blockNumber, blockTime };
  return { type: 'RecordDeposit', data: { address, deposit } };
}
