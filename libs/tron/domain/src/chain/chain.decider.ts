import { assert, assertNever, type Decider, refuse, type Refusal } from '@florin/kernel';
import type { ChainCommand, ChainEvent, ChainRefusal, RecordBlocks, StartChain, BlockRange } from './chain.messages';
import { segmentOf, firstBlockOf } from './chain-segment';

/** The last block that was recorded. Everything up to it is known, and nothing after it. */
export interface RecordedBlock {
  readonly number: number;
  readonly id: string;
  readonly time: string;
}

export interface ChainState {
  /** Only in the stream of the start. */
  readonly started?: StartChain['data'];
  /** Only in the stream of a segment. */
  readonly last?: RecordedBlock;
}

type ChainDecision = readonly ChainEvent[] | Refusal<ChainRefusal>;

/** One stream says where the chain was begun, and one for each segment how far it was read. */
export const chainDecider: Decider<ChainState, ChainCommand, ChainEvent, ChainRefusal> = {
  category: 'chain',

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
      case 'BlocksRead': {
        const { toBlock, toBlockId, toBlockTime } = event.data;
        return { ...state, last: { number: toBlock, id: toBlockId, time: toBlockTime } };
      }
      default:
        return assertNever(event);
    }
  },
};

/** Whoever starts it later finds it begun where the first one began. */
function start({ data }: StartChain, { started }: ChainState): ChainDecision {
  const { startBlock, contract } = data;
  if (started === undefined) {
    assert(
      Number.isSafeInteger(startBlock) && startBlock > 0,
      () => `the chain cannot be begun at block ${startBlock}`,
    );
    return [{ type: 'ChainStarted', data: { startBlock, contract } }];
  }
  if (started.contract === contract) return [];
  return refuse(
    'another_contract',
    `The chain has been read for contract ${started.contract} and not for ${contract}: ` +
      'configure the former again, or begin with an empty event store',
  );
}

function record({ data }: RecordBlocks, { last }: ChainState): ChainDecision {
  const { startBlock, ...blockRange } = data;
  assertWhole(blockRange);
  const { fromBlock, parentId, toBlock, toBlockId } = blockRange;
  if (last?.number === toBlock) return last.id === toBlockId ? [] : anotherChain(toBlock, last.id, toBlockId);
  const next = last === undefined ? Math.max(firstBlockOf(segmentOf(fromBlock)), startBlock) : last.number + 1;
  if (fromBlock !== next) {
    return refuse(
      'not_next',
      `Block ${next} comes next, and not ${fromBlock}: read on from where the chain stands now`,
    );
  }
  if (last !== undefined && last.id !== parentId) return anotherChain(last.number, last.id, parentId);
  assert(
    last === undefined || blockRange.toBlockTime >= last.time,
    () => `the time of block ${toBlock} runs backwards`,
  );
  return [{ type: 'BlocksRead', data: blockRange }];
}

function anotherChain(block: number, recorded: string, read: string): Refusal<ChainRefusal> {
  return refuse(
    'another_chain',
    `Block ${block} was recorded as ${recorded} and is ${read} now, although solidified blocks never change: ` +
      'find out which node is on another chain',
  );
}

/** A block range that is not sound in itself is a defect of whoever put it together. */
function assertWhole({ fromBlock, toBlock, toBlockTime, transfers }: BlockRange): void {
  assert(fromBlock <= toBlock, () => `blocks ${fromBlock} to ${toBlock} are no blockRange`);
  assert(
    segmentOf(fromBlock) === segmentOf(toBlock),
    () => `blocks ${fromBlock} to ${toBlock} cross the end of a segment`,
  );
  let before = fromBlock;
  for (const { blockNumber, blockTime, transactionId } of transfers) {
    const isInside = before <= blockNumber && blockNumber <= toBlock && blockTime <= toBlockTime;
    assert(isInside, () => `transfer ${transactionId} of block ${blockNumber} is out of place`);
    before = blockNumber;
  }
}
