import type { Command, DomainEvent, EventVersions, UsdtText } from '@florin/kernel';

/** A transfer of the watched token to a watched address, in a solidified block, by a transaction that succeeded. */
export interface TokenTransfer {
  /** 64 hexadecimal digits. Together with the place of the log in its transaction it is the transfer's identity. */
  readonly transactionId: string;
  readonly logIndex: number;
  /** Addresses as people write them: `T…`. */
  readonly from: string;
  readonly to: string;
  readonly amount: UsdtText;
  readonly blockNumber: number;
  readonly blockTime: string;
}

/** Blocks without a gap, all of them solidified, with every transfer in them that concerns us, in the order of the chain. */
export interface BlockRange {
  readonly fromBlock: number;
  /** The id of the block before `fromBlock`. */
  readonly parentId: string;
  readonly toBlock: number;
  readonly toBlockId: string;
  readonly toBlockTime: string;
  readonly transfers: readonly TokenTransfer[];
}

/** Fixes where reading begins, once and for all. */
export type StartChain = Command<'StartChain', { readonly startBlock: number; readonly contract: string }>;
/** Carries where the chain was begun, since the stream of a later segment does not know it. */
export type RecordBlocks = Command<'RecordBlocks', BlockRange & { readonly startBlock: number }>;
export type ChainCommand = StartChain | RecordBlocks;

export type ChainStarted = DomainEvent<'ChainStarted', StartChain['data']>;
/** The cursor is the last of these: it moves together with what was found on the way, or not at all. */
export type BlocksRead = DomainEvent<'BlocksRead', BlockRange>;
export type ChainEvent = ChainStarted | BlocksRead;

export const chainEventVersions: EventVersions<ChainEvent> = { ChainStarted: [], BlocksRead: [] };

export type ChainRefusal =
  /** Others have read these blocks, or the ones before them are still missing. */
  | 'not_next'
  /** What was solidified before is not the parent of what is now: somebody's node is on another chain. */
  | 'another_chain'
  /** The chain was begun with another contract. */
  | 'another_contract';
