import { sha256 } from '@florin/kernel';
import type { TokenTransfer } from '@florin/tron-domain';
import { type Block, type BlockHead, type Chain, ChainUnavailable } from '../chain.port';

/** The fault of one call. `lags`: the node is three blocks behind. `hangs`: it never responds. */
export type ChainFault =
  'unavailable' | 'asksToRetryLater' | 'breaks' | 'lags' | 'hangs' | 'wrongNumber' | 'wrongParent' | 'wrongTime';

export const retryAfterMs = 7_000;
const blockEveryMs = 3_000;

/** A chain for tests. Each call consumes the next fault; the same `branch` has the same blocks. */
export class InMemoryChain implements Chain {
  addresses: readonly string[] = ['TUs'];
  readonly faults: (ChainFault | 'none')[] = [];
  readonly blocksRequested: number[] = [];
  private readonly blocks: Block[] = [];

  constructor(
    private readonly firstBlock: number,
    private readonly startMs: number,
    private readonly branch = 'main',
  ) {}

  /** Mines a block with `transferCount` transfers to a watched address. */
  mine(transferCount = 0): Block {
    const number = this.firstBlock + this.blocks.length;
    const time = new Date(this.startMs + this.blocks.length * blockEveryMs).toISOString();
    const parentId = this.blocks.at(-1)?.id ?? sha256(`before ${number}`);
    const transfers = Array.from({ length: transferCount }, (_, index) => this.transfer(number, time, index));
    const block = { number, id: sha256(`${this.branch} ${number}`), parentId, time, transfers };
    this.blocks.push(block);
    return block;
  }

  mineMany(count: number): void {
    for (let mined = 0; mined < count; mined++) this.mine();
  }

  /** A chain with the same blocks so far and others from here on. */
  fork(branch: string, dropped = 0): InMemoryChain {
    const fork = new InMemoryChain(this.firstBlock, this.startMs, branch);
    fork.blocks.push(...this.blocks.slice(0, this.blocks.length - dropped));
    return fork;
  }

  get head(): BlockHead {
    const head = this.blocks.at(-1);
    if (head === undefined) throw new Error('Mine a block before asking for the head');
    return head;
  }

  get transfers(): readonly TokenTransfer[] {
    return this.blocks.flatMap(({ transfers }) => transfers);
  }

  get all(): readonly Block[] {
    return this.blocks;
  }

  async solidHead(): Promise<BlockHead> {
    const fault = await this.nextFault();
    const { number, id, time } = fault === 'lags' ? this.blocks[Math.max(0, this.blocks.length - 4)]! : this.head;
    return { number, id, time };
  }

  async readBlock(number: number): Promise<Block> {
    this.blocksRequested.push(number);
    const fault = await this.nextFault();
    const block = this.blocks[number - this.firstBlock];
    if (block === undefined || fault === 'lags') throw new ChainUnavailable(`The node has no block ${number} yet`);
    // A wrong first block cannot be detected, because there is no block before it.
    if (number === this.firstBlock) return block;
    if (fault === 'wrongNumber') return { ...block, number: number + 1 };
    if (fault === 'wrongParent') return { ...block, parentId: sha256('unknown') };
    if (fault === 'wrongTime') return { ...block, time: '2000-01-01T00:00:00.000Z' };
    return block;
  }

  private async nextFault(): Promise<ChainFault | 'none'> {
    const fault = this.faults.shift() ?? 'none';
    if (fault === 'hangs') await new Promise(() => undefined);
    if (fault === 'unavailable') throw new ChainUnavailable('The node did not respond');
    if (fault === 'asksToRetryLater') throw new ChainUnavailable('The node is busy', { retryAfterMs });
    if (fault === 'breaks') throw new TypeError('Something unforeseen');
    return fault;
  }

  private transfer(blockNumber: number, blockTime: string, index: number): TokenTransfer {
    const transactionId = sha256(`${this.branch} ${blockNumber} ${index}`);
    return { transactionId, logIndex: index, from: 'TSender', to: 'TUs', amount: '10.000001', blockNumber, blockTime };
  }
}
