import { segmentOf, lastBlockOf, type BlockRange, type TokenTransfer } from '@florin/tron-domain';
import { type Block, ChainUnavailable } from './chain.port';
import type { Cursor } from './recorded-chain';

/** One event holds no more than these, so that none becomes too large for a message. */
const maxBlocks = 100;
const maxTransfers = 500;

/** What was read after the cursor and is not recorded yet: blocks that follow one another without a gap. */
export class PendingBlockRange {
  private first: Block | undefined;
  private last: Block | undefined;
  private readonly transfers: TokenTransfer[] = [];

  constructor(private readonly cursor: Cursor) {}

  get isEmpty(): boolean {
    return this.first === undefined;
  }

  get hasTransfers(): boolean {
    return this.transfers.length > 0;
  }

  /** The block that the next one has to follow. */
  get end(): Cursor {
    return this.last ?? this.cursor;
  }

  /** Nothing may be added any more. */
  get isFull(): boolean {
    if (this.first === undefined || this.last === undefined) return false;
    const { number } = this.last;
    const blocks = number - this.first.number + 1;
    return blocks >= maxBlocks || this.transfers.length >= maxTransfers || number === lastBlockOf(segmentOf(number));
  }

  add(block: Block): void {
    const { number, id, time } = this.end;
    if (block.number !== number + 1) {
      throw new ChainUnavailable(`The node gave block ${block.number} where block ${number + 1} was asked for`);
    }
    if (id !== undefined && block.parentId !== id) {
      throw new ChainUnavailable(`Block ${block.number} does not follow on block ${number} as it was read before`);
    }
    if (time !== undefined && block.time < time) {
      throw new ChainUnavailable(`Block ${block.number} claims to be older than the block before it`);
    }
    this.first ??= block;
    this.last = block;
    this.transfers.push(...block.transfers);
  }

  /** Nothing as long as there is nothing to record. */
  toBlockRange(): BlockRange | undefined {
    if (this.first === undefined || this.last === undefined) return undefined;
    return {
      fromBlock: this.first.number,
      parentId: this.first.parentId,
      toBlock: this.last.number,
      toBlockId: this.last.id,
      toBlockTime: this.last.time,
      transfers: this.transfers,
    };
  }
}
