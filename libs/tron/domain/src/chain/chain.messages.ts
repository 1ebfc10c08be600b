import type { Command, DomainEvent, EventVersions, UsdtText } from '@florin/kernel';

/** A transfer of the watched token to a watched address, in a solidified block, by a transaction that succeeded. */
export interface TokenTransfer {
  /** 64 hexadecimal digits. Together with `logIndex` it identifies the transfer. */
  readonly transactionId: string;
  readonly logIndex: number;
  /** Base58check addresses: `T…`. */
  readonly from: string;
  readonly to: string;
  readonly amount: UsdtText;
  readonly blockNumber: number;
  readonly blockTime: string;
}

/** Contiguous solidified blocks with every transfer to a watched address, in the order of the chain. */
export interface BlockRange {
  readonly fromBlock: number;
  /** The id of the block before `fromBlock`. */
  readonly parentId: string;
  readonly toBlock: number;
  readonly toBlockId: string;
  readonly toBlockTime: string;
  readonly transfers: readonly TokenTransfer[];
}

/** Sets the start block, once. */
export type StartChain = Command<'StartChain', { readonly startBlock: number; readonly contract: string }>;
/** Contains the start block, because the stream of a later segment does not, and the sorted addresses that were watched. */
export type RecordBlocks = Command<
  'RecordBlocks',
  BlockRange & { readonly startBlock: number; readonly addresses: readonly string[] }
>;
export type ChainCommand = StartChain | RecordBlocks;

export type ChainStarted = DomainEvent<'ChainStarted', StartChain['data']>;
/** The blocks after this event in the stream were searched for transfers to these addresses. Earlier releases recorded none. */
export type AddressesWatched = DomainEvent<
  'AddressesWatched',
  { readonly fromBlock: number; readonly addresses: readonly string[] }
>;
/** The cursor is the last of these events: it advances together with the transfers found. */
export type BlocksRead = DomainEvent<'BlocksRead', BlockRange>;
export type ChainEvent = ChainStarted | AddressesWatched | BlocksRead;

export const chainEventVersions: EventVersions<ChainEvent> = {
  ChainStarted: [],
  AddressesWatched: [],
  BlocksRead: [],
};

export type ChainRefusal =
  /** Another replica recorded these blocks, or earlier blocks are missing. */
  | 'not_next'
  /** The parent is not the last recorded block: a node is on another chain. */
  | 'another_chain'
  /** The chain was started with another contract. */
  | 'another_contract';
