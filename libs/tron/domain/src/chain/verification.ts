import type { Command } from '@florin/kernel';
import type { BlockRange, TokenTransfer } from './chain.messages';

/** Reads blocks from the node again and compares them with the recorded ones. Changes nothing. */
export type VerifyBlocks = Command<'VerifyBlocks', { readonly from: number; readonly to: number }>;

export type VerifyBlocksRefusal =
  /** Some of the blocks are not recorded. */
  | 'blocks_not_recorded'
  /** The node cannot be read now. */
  | 'node_unavailable';

/** A difference between the recorded blocks and the chain. */
export interface BlockDifference {
  /**
   * `missing`: a transfer of the chain was not recorded. `extra`: a recorded transfer is not on the chain. `changed`: it is
   * recorded differently. `duplicate`: blocks or a transfer are recorded more than once. `other_block`: the recorded block is
   * not the one on the chain.
   */
  readonly kind: 'missing' | 'extra' | 'changed' | 'duplicate' | 'other_block';
  readonly blockNumber: number;
  readonly transactionId?: string;
  readonly logIndex?: number;
  readonly recorded?: string;
  readonly onChain?: string;
}

export interface BlocksVerification {
  readonly fromBlock: number;
  /** The last verified block. It may be before the requested one. */
  readonly toBlock: number;
  /** The number of transfers on the chain. */
  readonly transfers: number;
  readonly differences: readonly BlockDifference[];
}

/** A block as the node returns it now. */
export interface ReadBlock {
  readonly number: number;
  readonly id: string;
  readonly time: string;
  readonly transfers: readonly TokenTransfer[];
}

/** The first of these blocks that no recorded range contains. Ranges may overlap: only a forged log has such ranges. */
export function firstMissingBlock(recorded: readonly BlockRange[], from: number, to: number): number | undefined {
  let next = from;
  for (const { fromBlock, toBlock } of inOrder(recorded)) {
    if (fromBlock > next) break;
    next = Math.max(next, toBlock + 1);
  }
  return next <= to ? next : undefined;
}

/** Compares contiguous blocks of the chain with the recorded ranges that contain them, and with those in the wrong stream. */
export function compareBlocks(
  blocks: readonly ReadBlock[],
  recorded: readonly BlockRange[],
): readonly BlockDifference[] {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) return [];
  const stored = recorded.flatMap(({ fromBlock, toBlock, transfers }) => {
    const isOther = toBlock < first.number || fromBlock > last.number;
    return transfers.filter(({ blockNumber }) => {
      const isVerified = blockNumber >= first.number && blockNumber <= last.number;
      // The verification of the block would not find it.
      const isMisplaced = isOther || blockNumber < fromBlock || blockNumber > toBlock;
      return isVerified || isMisplaced;
    });
  });
  return [
    ...repeatedBlocks(recorded),
    ...otherBlocks(blocks, recorded),
    ...otherTransfers(
      blocks.flatMap(({ transfers }) => transfers),
      stored,
    ),
  ];
}

function inOrder(recorded: readonly BlockRange[]): readonly BlockRange[] {
  return recorded.toSorted((one, other) => one.fromBlock - other.fromBlock);
}

/** The watcher records each block once, so one of two overlapping ranges is forged. */
function repeatedBlocks(recorded: readonly BlockRange[]): readonly BlockDifference[] {
  const differences: BlockDifference[] = [];
  let end = 0;
  for (const { fromBlock, toBlock } of inOrder(recorded)) {
    if (fromBlock <= end) {
      const text = `blocks ${fromBlock} to ${Math.min(toBlock, end)} more than once`;
      differences.push({ kind: 'duplicate', blockNumber: fromBlock, recorded: text });
    }
    end = Math.max(end, toBlock);
  }
  return differences;
}

/** Only the last block of a range is recorded with its id and time. */
function otherBlocks(blocks: readonly ReadBlock[], recorded: readonly BlockRange[]): readonly BlockDifference[] {
  const byNumber = new Map(blocks.map((block) => [block.number, block]));
  return recorded.flatMap(({ toBlock, toBlockId, toBlockTime }) => {
    const block = byNumber.get(toBlock);
    if (block === undefined || (block.id === toBlockId && block.time === toBlockTime)) return [];
    const difference = { kind: 'other_block', blockNumber: toBlock } as const;
    return [{ ...difference, recorded: `${toBlockId} at ${toBlockTime}`, onChain: `${block.id} at ${block.time}` }];
  });
}

function otherTransfers(
  chain: readonly TokenTransfer[],
  recorded: readonly TokenTransfer[],
): readonly BlockDifference[] {
  const unmatched = new Map<string, TokenTransfer>();
  const differences: BlockDifference[] = [];
  for (const transfer of recorded) {
    if (!unmatched.has(idOf(transfer))) unmatched.set(idOf(transfer), transfer);
    else differences.push({ kind: 'duplicate', ...placeOf(transfer), recorded: textOf(transfer) });
  }
  for (const transfer of chain) {
    const stored = unmatched.get(idOf(transfer));
    unmatched.delete(idOf(transfer));
    if (stored === undefined) differences.push({ kind: 'missing', ...placeOf(transfer), onChain: textOf(transfer) });
    else if (textOf(stored) !== textOf(transfer)) {
      differences.push({ kind: 'changed', ...placeOf(transfer), recorded: textOf(stored), onChain: textOf(transfer) });
    }
  }
  const extra = [...unmatched.values()].map((stored) => {
    return { kind: 'extra', ...placeOf(stored), recorded: textOf(stored) } as const;
  });
  return [...differences, ...extra];
}

function idOf({ transactionId, logIndex }: TokenTransfer): string {
  return `${transactionId}/${logIndex}`;
}

function placeOf({ blockNumber, transactionId, logIndex }: TokenTransfer) {
  return { blockNumber, transactionId, logIndex };
}

function textOf({ from, to, amount, blockNumber, blockTime }: TokenTransfer): string {
  return `${amount} USDT from ${from} to ${to} in block ${blockNumber} at ${blockTime}`;
}
