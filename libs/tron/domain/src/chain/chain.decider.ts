import { type Aggregate, assert, assertNever, type Refusal, refuse } from '@florin/kernel';
import {
  type BlockRange,
  type ChainCommand,
  type ChainEvent,
  chainEventVersions,
  type ChainRefusal,
  type RecordBlocks,
  type StartChain,
} from './chain.messages';
import { segmentOf, firstBlockOf } from './chain-segment';

/** The last recorded block. All blocks up to it are recorded, and none after it. */
export interface RecordedBlock {
  readonly number: number;
  readonly id: string;
  readonly time: string;
}

export interface ChainState {
  /** Only in the stream of the start block. */
  readonly started?: StartChain['data'];
  /** Only in the stream of a segment. */
  readonly addresses?: readonly string[];
  readonly last?: RecordedBlock;
}

type ChainDecision = readonly ChainEvent[] | Refusal<ChainRefusal>;

/** One stream stores the start block, and one stream per segment stores the blocks read. */
export const chainAggregate: Aggregate<ChainState, ChainCommand, ChainEvent, ChainRefusal, ChainState> = {
  category: 'chain',
  versions: chainEventVersions,

  initialState: () => ({}),

  decide: (command, state) => {
    switch (command.type) {
      case 'StartChain':
        return start(command, state);
      case 'RecordBlocks':
        return record(command, state);
      default:
        return assertNever(command);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'ChainStarted':
        return { ...state, started: event.data };
      case 'AddressesWatched':
        return { ...state, addresses: event.data.addresses };
      case 'BlocksRead': {
        const { toBlock, toBlockId, toBlockTime } = event.data;
        return { ...state, last: { number: toBlock, id: toBlockId, time: toBlockTime } };
      }
      default:
        return assertNever(event);
    }
  },

  answer: (state) => state,
};

/** A later start keeps the recorded start block. */
function start({ data }: StartChain, { started }: ChainState): ChainDecision {
  const { startBlock, contract } = data;
  if (started === undefined) {
    assert(Number.isSafeInteger(startBlock) && startBlock > 0, () => `the chain cannot start at block ${startBlock}`);
    return [{ type: 'ChainStarted', data: { startBlock, contract } }];
  }
  if (started.contract === contract) return [];
  return refuse(
    'another_contract',
    `The recorded chain belongs to contract ${started.contract}, not to ${contract}: ` +
      'configure the recorded one, or start with an empty event store',
  );
}

function record({ data }: RecordBlocks, { last, addresses: watched }: ChainState): ChainDecision {
  const { startBlock, addresses, ...blockRange } = data;
  assertWhole(blockRange);
  const { fromBlock, parentId, toBlock, toBlockId } = blockRange;
  if (last?.number === toBlock) return last.id === toBlockId ? [] : anotherChain(toBlock, last.id, toBlockId);
  const next = last === undefined ? Math.max(firstBlockOf(segmentOf(fromBlock)), startBlock) : last.number + 1;
  if (fromBlock !== next) {
    return refuse('not_next', `The next block is ${next}, not ${fromBlock}: resume from the recorded chain`);
  }
  if (last !== undefined && last.id !== parentId) return anotherChain(last.number, last.id, parentId);
  assert(
    last === undefined || blockRange.toBlockTime >= last.time,
    () => `block ${toBlock} is older than the block before it`,
  );
  const read = { type: 'BlocksRead', data: blockRange } as const;
  if (watched?.join() === addresses.join()) return [read];
  return [{ type: 'AddressesWatched', data: { fromBlock, addresses } }, read];
}

function anotherChain(block: number, recorded: string, read: string): Refusal<ChainRefusal> {
  return refuse(
    'another_chain',
    `Block ${block} was recorded as ${recorded} and is ${read} now, but solidified blocks never change: ` +
      'find the node that is on another chain',
  );
}

/** An inconsistent block range is a programming error. */
function assertWhole({ fromBlock, toBlock, toBlockTime, transfers }: BlockRange): void {
  assert(fromBlock <= toBlock, () => `blocks ${fromBlock} to ${toBlock} are not a block range`);
  assert(
    segmentOf(fromBlock) === segmentOf(toBlock),
    () => `blocks ${fromBlock} to ${toBlock} cross a segment boundary`,
  );
  let before = fromBlock;
  for (const { blockNumber, blockTime, transactionId } of transfers) {
    const isInside = before <= blockNumber && blockNumber <= toBlock && blockTime <= toBlockTime;
    assert(isInside, () => `transfer ${transactionId} of block ${blockNumber} is out of order`);
    before = blockNumber;
  }
}
