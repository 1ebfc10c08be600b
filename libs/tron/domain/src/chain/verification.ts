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

/** A range with the addresses that were watched; undefined if an earlier release recorded it. */
export interface RecordedRange extends BlockRange {
  readonly addresses?: readonly string[];
}

/** Transfers to this address were not compared, because it was not watched both then and now. */
export interface UnverifiedAddress {
  readonly address: string;
  /**
   * `not_watched_now`: recorded, but the node was not searched for it. `not_watched_then`: on the chain, but the address was
   * added later. `unknown_then`: the same, but an earlier release did not record which addresses it watched.
   */
  readonly reason: 'not_watched_now' | 'not_watched_then' | 'unknown_then';
  /** The number of transfers that were not compared. */
  readonly transfers: number;
}

export interface BlocksVerification {
  readonly fromBlock: number;
  /** The last verified block. It may be before the requested one. */
  readonly toBlock: number;
  /** The number of transfers on the chain. */
  readonly transfers: number;
  readonly differences: readonly BlockDifference[];
  readonly unverified: readonly UnverifiedAddress[];
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

/**
 * Compares contiguous blocks of the chain with the recorded ranges that contain them, and with those in the wrong stream. The
 * blocks contain the transfers to the addresses that are watched now.
 */
export function compareBlocks(
  blocks: readonly ReadBlock[],
  recorded: readonly RecordedRange[],
  watched: readonly string[],
): Pick<BlocksVerification, 'differences' | 'unverified'> {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) return { differences: [], unverified: [] };
  const unverified = new UnverifiedAddresses();
  for (const { addresses = [] } of recorded) unverified.addRemoved(addresses, watched);
  const stored = recorded.flatMap((range) => {
    const { fromBlock, toBlock, transfers } = range;
    const isOther = toBlock < first.number || fromBlock > last.number;
    return transfers.flatMap((transfer) => {
      const { blockNumber } = transfer;
      const isVerified = blockNumber >= first.number && blockNumber <= last.number;
      // The verification of the block would not find it.
      const isMisplaced = isOther || blockNumber < fromBlock || blockNumber > toBlock;
      return isVerified || isMisplaced ? [{ transfer, range, isMisplaced }] : [];
    });
  });
  const { duplicates, changed, missing, extra } = matchTransfers(
    blocks.flatMap(({ transfers }) => transfers),
    stored,
  );
  const differences = [...repeatedBlocks(recorded), ...otherBlocks(blocks, recorded), ...duplicates, ...changed];
  for (const transfer of missing) {
    const reason = whyNotRecorded(transfer, recorded);
    if (reason === undefined) differences.push({ kind: 'missing', ...placeOf(transfer), onChain: textOf(transfer) });
    else unverified.add(transfer.to, reason);
  }
  for (const { transfer, range, isMisplaced } of extra) {
    const wasWatched = range.addresses?.includes(transfer.to) ?? true;
    if (watched.includes(transfer.to) || isMisplaced || !wasWatched) {
      differences.push({ kind: 'extra', ...placeOf(transfer), recorded: textOf(transfer) });
    } else unverified.add(transfer.to, 'not_watched_now');
  }
  return { differences, unverified: unverified.all };
}

/** Counts the transfers that are not compared, by address and reason. */
class UnverifiedAddresses {
  private readonly found = new Map<string, UnverifiedAddress>();

  get all(): readonly UnverifiedAddress[] {
    return [...this.found.values()];
  }

  /** Without a recorded transfer, too: one may have been removed from the log. */
  addRemoved(then: readonly string[], now: readonly string[]): void {
    for (const address of then) if (!now.includes(address)) this.add(address, 'not_watched_now', 0);
  }

  add(address: string, reason: UnverifiedAddress['reason'], count = 1): void {
    const key = `${address} ${reason}`;
    const transfers = (this.found.get(key)?.transfers ?? 0) + count;
    this.found.set(key, { address, reason, transfers });
  }
}

/** Undefined if the address was watched then, so that the transfer must be recorded. */
function whyNotRecorded(
  { blockNumber, to }: TokenTransfer,
  recorded: readonly RecordedRange[],
): 'not_watched_then' | 'unknown_then' | undefined {
  const ranges = recorded.filter(({ fromBlock, toBlock }) => fromBlock <= blockNumber && blockNumber <= toBlock);
  const wasWatched = ranges.some(({ addresses, transfers }) => {
    return addresses?.includes(to) ?? transfers.some((transfer) => transfer.to === to);
  });
  if (wasWatched) return undefined;
  return ranges.some(({ addresses }) => addresses === undefined) ? 'unknown_then' : 'not_watched_then';
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

interface StoredTransfer {
  readonly transfer: TokenTransfer;
  readonly range: RecordedRange;
  /** It is in a range or in a stream that does not contain its block. */
  readonly isMisplaced: boolean;
}

function matchTransfers(chain: readonly TokenTransfer[], recorded: readonly StoredTransfer[]) {
  const unmatched = new Map<string, StoredTransfer>();
  const duplicates: BlockDifference[] = [];
  for (const stored of recorded) {
    const { transfer } = stored;
    if (!unmatched.has(idOf(transfer))) unmatched.set(idOf(transfer), stored);
    else duplicates.push({ kind: 'duplicate', ...placeOf(transfer), recorded: textOf(transfer) });
  }
  const changed: BlockDifference[] = [];
  const missing: TokenTransfer[] = [];
  for (const transfer of chain) {
    const stored = unmatched.get(idOf(transfer))?.transfer;
    unmatched.delete(idOf(transfer));
    if (stored === undefined) missing.push(transfer);
    else if (textOf(stored) !== textOf(transfer)) {
      changed.push({ kind: 'changed', ...placeOf(transfer), recorded: textOf(stored), onChain: textOf(transfer) });
    }
  }
  return { duplicates, changed, missing, extra: [...unmatched.values()] };
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
