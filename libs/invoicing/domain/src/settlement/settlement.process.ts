import { deterministicId } from '@florin/kernel';
import type { BlocksRead, TokenTransfer } from '@florin/tron-domain';
import type { RecordDeposit } from '../address/address.messages';
import type { SettleBlocks } from './settlement.messages';

/** All of them under one key: what the chain says is believed in the chain's own order. */
export const settlementKey = 'chain';

/** What a block range of the chain means to invoices. */
export function settlementOf({ data: { transfers, toBlockTime } }: BlocksRead): SettleBlocks {
  return { type: 'SettleBlocks', data: { transfers, toBlockTime } };
}

/** The transaction and the place of the log in it are the identity of a deposit, however often it is told. */
export function depositOf(transfer: TokenTransfer): RecordDeposit {
  const { transactionId, logIndex, from, to: address, amount, blockNumber, blockTime } = transfer;
  const depositId = deterministicId('tron deposit', transactionId, String(logIndex));
  const deposit = { depositId, transactionId, logIndex, from, amount, blockNumber, blockTime };
  return { type: 'RecordDeposit', data: { address, deposit } };
}
