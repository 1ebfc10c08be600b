import { randomUUID } from 'node:crypto';
import { assert } from '@florin/kernel';
import { sha256 } from './simulated-address';
import type { Filling, SimBlock } from './simulated-block';
import type { SimTransaction } from './transactions';

export interface ChainOptions {
  /** The number of the first block, which is empty (default 1). */
  readonly firstBlock?: number;
  /** The number of later blocks that make a block final (default 0: immediately). */
  readonly solidifyAfter?: number;
  /** The time of the first block; later blocks follow every three seconds. Without it, blocks have the real time. */
  readonly blockTime?: string;
}

const blockIntervalMs = 3_000;

/** A chain of blocks, the older ones final. */
export class SimulatedChain {
  readonly firstBlock: number;
  private readonly blocks: SimBlock[] = [];
  private solidCount = 0;
  private nextTime: number | undefined;
  private created = 0;
  /** Random for chains in real time; fixed for scripted ones, so that their ids are reproducible. */
  private readonly seed: string;

  constructor(private readonly options: ChainOptions = {}) {
    this.firstBlock = options.firstBlock ?? 1;
    this.seed = options.blockTime ?? randomUUID();
    this.nextTime = options.blockTime === undefined ? undefined : parseTime(options.blockTime);
    this.mine([]);
    this.solidify(1);
  }

  /** The newest block. */
  get head(): SimBlock {
    return this.newestOf(this.blocks.length);
  }

  /** The newest final block of a node that lags by `behind` blocks. */
  solidHead(behind = 0): SimBlock {
    return this.newestOf(Math.max(1, this.solidCount - behind));
  }

  get finalBlocks(): readonly SimBlock[] {
    return this.blocks.slice(0, this.solidCount);
  }

  block(number: number): SimBlock | undefined {
    return this.blocks[number - this.firstBlock];
  }

  mine(transactions: readonly SimTransaction[], filling?: Filling): SimBlock {
    const number = this.firstBlock + this.blocks.length;
    const parentId = this.blocks.at(-1)?.id ?? blockId(number - 1, this.seed);
    const time = this.takeTime();
    const withIds = transactions.map((transaction) => ({ ...transaction, id: transaction.id ?? this.newId() }));
    const content = `${parentId} ${time} ${withIds.map(({ id }) => id).join(' ')} ${this.created++}`;
    const id = blockId(number, content);
    const block = { number, id, parentId, time, transactions: withIds, ...(filling && { filling }) };
    this.blocks.push(block);
    this.solidCount = Math.max(this.solidCount, this.blocks.length - (this.options.solidifyAfter ?? 0));
    return block;
  }

  /** Makes the oldest `count` blocks that are not final yet final; all by default. */
  solidify(count = this.blocks.length): void {
    this.solidCount = Math.min(this.blocks.length, this.solidCount + count);
  }

  /** Replaces the newest blocks. A correct chain never replaces final ones. */
  fork(depth: number, replacements: readonly (readonly SimTransaction[])[], evenFinal = false): void {
    const kept = this.blocks.length - depth;
    if (kept < 1) throw new Error(`Only ${this.blocks.length - 1} blocks can be replaced. Mine more or replace fewer.`);
    if (kept < this.solidCount && !evenFinal) {
      throw new Error(`The newest ${depth} blocks include final ones. Replace fewer or set evenFinal.`);
    }
    this.nextTime ??= this.blocks[kept] && parseTime(this.blocks[kept].time);
    this.blocks.length = kept;
    const solidCount = this.solidCount;
    this.solidCount = Math.min(kept, solidCount);
    for (const transactions of replacements) this.mine(transactions);
    if (evenFinal) this.solidCount = Math.max(this.solidCount, Math.min(solidCount, this.blocks.length));
  }

  /** The time of the next block. */
  setTime(time: string): void {
    const wanted = parseTime(time);
    if (wanted <= parseTime(this.head.time)) {
      throw new Error(`The newest block has the time ${this.head.time}. Use a later time than that, not ${time}.`);
    }
    this.nextTime = wanted;
  }

  private takeTime(): string {
    const newest = this.blocks.at(-1);
    const last = newest ? parseTime(newest.time) : 0;
    const regular = this.options.blockTime === undefined ? Math.max(Date.now(), last + 1) : last + blockIntervalMs;
    const time = this.nextTime ?? regular;
    this.nextTime = undefined;
    return new Date(time).toISOString();
  }

  private newestOf(count: number): SimBlock {
    const block = this.blocks[count - 1];
    assert(block !== undefined, 'a chain has a first block');
    return block;
  }

  private newId(): string {
    return sha256(`transaction ${this.seed} ${this.created++}`).toString('hex');
  }
}

function blockId(number: number, content: string): string {
  return number.toString(16).padStart(16, '0') + sha256(content).toString('hex').slice(16);
}

function parseTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`"${text}" is not a time. Use one like 2026-01-01T00:00:00.000Z.`);
  return time;
}
