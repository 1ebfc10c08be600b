import { segmentOf, lastBlockOf, type BlockRange, type TokenTransfer } from '@florin/tron-domain';
import { type Block, ChainUnavailable } from './chain.port';
import type { Cursor } from './recorded-chain';

/** Limits of one event, so that it fits into a message. */
const maxBlocks = 100;
const maxTransfers = 500;

/** Contiguous blocks after the cursor that were read and are not recorded yet. */
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

  /** The last block read, which the next one must follow. */
  get end(): Cursor {
    return this.last ?? this.cursor;
  }

  /** Whether the range must be recorded before another block is added. */
  get isFull(): boolean {
    if (this.first === undefined || this.last === undefined) return false;
    const { number } = this.last;
    const blocks = number - this.first.number + 1;
    return blocks >= maxBlocks || this.transfers.length >= maxTransfers || number === lastBlockOf(segmentOf(number));
  }

  add(block: Block): void {
    const { number, id, time } = this.end;
    if (block.number !== number + 1) {
      throw new ChainUnavailable(`The node returned block ${block.number} instead of block ${number + 1}`);
    }
    if (id !== undefined && block.parentId !== id) {
      throw new ChainUnavailable(`The parent of block ${block.number} is not block ${number} as read before`);
    }
    if (time !== undefined && block.time < time) {
      throw new ChainUnavailable(`Block ${block.number} is older than the block before it`);
    }
    this.first ??= block;
    this.last = block;
    this.transfers.push(...block.transfers);
  }

  /** Undefined while there is nothing to record. */
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
