import { BackgroundTask, type Backoff, CLOCK, exponentialBackoff } from '@florin/event-sourcing';
import { type Clock, untilAborted } from '@florin/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Block, type BlockHead, CHAIN, type Chain, ChainUnavailable } from './chain.port';
import { PendingBlockRange } from './pending-block-range';
import { RateLimiter } from './rate-limiter';
import { readAhead, type ReadAheadOptions } from './read-ahead';
import { ChainStopped, type Cursor, RecordedChain } from './recorded-chain';
import { TRON_OPTIONS, type TronOptions, type WatcherTime } from './tron-options';

export interface TronStatus {
  /** `stopped` needs an operator, `retrying` may recover by itself; both have a reason. */
  readonly state: 'starting' | 'catching_up' | 'following' | 'retrying' | 'stopped' | 'ended';
  /** The last recorded block; zero until it is known. */
  readonly cursorBlock: number;
  /** The newest solidified block seen so far. */
  readonly headBlock?: number;
  readonly lagBlocks?: number;
  /** The age of the last recorded block. About a minute is normal: a block takes that long to solidify. */
  readonly lagSeconds?: number;
  readonly reason?: string;
}

/** Longer waits would delay the settlement of invoices. */
const maxRetryAfterMs = 300_000;

/** The lag up to which the watcher counts as following the head: blocks may arrive in bursts. */
const maxFollowingLag = 20;

const realTime: WatcherTime = {
  nowMs: () => performance.now(),
  pause: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined),
};

/**
 * Reads every solidified block in order and records the transfers to watched addresses together with the cursor. After a
 * failure it resumes from the last record, so that no block is skipped. Several replicas may run at the same time: the
 * log accepts each block from one of them only. It stops immediately: blocks that were read but not recorded are read
 * again on the next start.
 */
@Injectable()
export class TronWatcher extends BackgroundTask {
  private readonly time: WatcherTime;
  private readonly rateLimiter: RateLimiter;
  private readonly backoff: Backoff;
  private state: Pick<TronStatus, 'state' | 'reason'> = { state: 'starting' };
  /** The last recorded block, as far as this process knows. */
  private cursor: Cursor = { number: 0 };
  /** The blocks read since then. */
  private pending = new PendingBlockRange(this.cursor);
  private recordedAtMs = 0;
  private head: BlockHead | undefined;
  private failures = 0;

  constructor(
    @Inject(CHAIN) private readonly chain: Chain,
    private readonly recorded: RecordedChain,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(TRON_OPTIONS) private readonly options: TronOptions,
  ) {
    super();
    this.time = options.time ?? realTime;
    this.rateLimiter = new RateLimiter(options.blocksPerSecond ?? 25);
    this.backoff = options.backoff ?? exponentialBackoff(500, 30_000);
  }

  /** The addresses whose transfers it records. */
  get addresses(): readonly string[] {
    return this.chain.addresses;
  }

  /** Reads blocks that are recorded already, within the same rate limit. */
  async readAgain(fromBlock: number, toBlock: number, signal: AbortSignal): Promise<readonly Block[]> {
    const blocks: Block[] = [];
    for await (const block of readAhead(this.ahead(), fromBlock, toBlock, signal)) blocks.push(block);
    return blocks;
  }

  status(): TronStatus {
    const { cursor, head } = this;
    const lagBlocks = head && Math.max(0, head.number - cursor.number);
    return {
      ...this.state,
      cursorBlock: cursor.number,
      headBlock: head?.number,
      lagBlocks,
      lagSeconds: this.ageOf(cursor),
    };
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    this.state = { state: 'starting' };
    while (!signal.aborted) {
      try {
        await this.begin();
        await this.follow(signal);
      } catch (error) {
        if (error instanceof ChainStopped) return this.stopPermanently(error);
        if (!signal.aborted) await this.recover(error, signal);
      }
    }
    this.state = { state: 'ended' };
  }

  private ageOf({ time }: Cursor): number | undefined {
    if (time === undefined) return undefined;
    return Math.max(0, Math.round((this.clock.now().getTime() - Date.parse(time)) / 1_000));
  }

  private async begin(): Promise<void> {
    const { startBlock, contract, log } = this.options;
    const recordedStart = await this.recorded.start(startBlock, contract);
    if (recordedStart !== startBlock && this.state.state === 'starting') {
      log.warn(
        { startBlock, recordedStart },
        `The chain is recorded from block ${recordedStart}; ignoring the start block`,
      );
    }
    this.resumeFrom(await this.recorded.cursor());
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const head = await this.pollHead(signal);
      try {
        await this.readUpTo(head, signal);
      } catch (error) {
        // Record the blocks before the failure: otherwise a node that fails often would be read in circles.
        if (error instanceof ChainUnavailable) await this.record();
        throw error;
      }
      if (this.pending.hasTransfers || this.isDue) await this.record();
      if (this.pending.end.number >= head.number) await this.time.pause(this.options.pollMs ?? 1_000, signal);
    }
  }

  private async pollHead(signal: AbortSignal): Promise<BlockHead> {
    const head = await untilAborted(this.chain.solidHead(), signal);
    if (this.head === undefined || head.number > this.head.number) this.head = head;
    if (head.number === this.cursor.number && head.id !== this.cursor.id) await this.checkCursor(signal);
    if (head.number <= this.pending.end.number) this.noteProgress();
    return head;
  }

  private ahead(): ReadAheadOptions {
    const { chain, rateLimiter, time } = this;
    return { chain, rateLimiter, time, concurrency: this.options.concurrency ?? 8 };
  }

  /** Reads up to the head, or until another replica has recorded the same blocks. */
  private async readUpTo(head: BlockHead, signal: AbortSignal): Promise<void> {
    for await (const block of readAhead(this.ahead(), this.pending.end.number + 1, head.number, signal)) {
      await this.take(block, signal);
      if ((this.pending.isFull || this.isDue) && !(await this.record())) return;
    }
  }

  private async take(block: Block, signal: AbortSignal): Promise<void> {
    try {
      this.pending.add(block);
    } catch (error) {
      // Either of two inconsistent blocks may be wrong, so neither is recorded.
      const followsCursor = this.pending.isEmpty;
      this.resumeFrom(this.cursor);
      if (followsCursor) await this.checkCursor(signal);
      throw error;
    }
    this.noteProgress();
  }

  /** Reads the last recorded block again. If its id has changed, the node is on another chain and must not be trusted. */
  private async checkCursor(signal: AbortSignal): Promise<void> {
    const { number, id } = this.cursor;
    if (id === undefined) return;
    const block = await untilAborted(this.chain.readBlock(number), signal);
    if (block.number !== number || block.id === id) return;
    throw new ChainStopped(
      `Block ${number} was recorded as ${id}, but the node returns ${block.id}: it is on another chain. Recording has ` +
        'stopped; set TRON_NODE_URL to a node of the right chain and restart',
    );
  }

  /** False when another replica was first. Either way reading resumes from the last recorded block. */
  private async record(): Promise<boolean> {
    const blockRange = this.pending.toBlockRange();
    if (blockRange === undefined) return true;
    const { toBlock: number, toBlockId: id, toBlockTime: time } = blockRange;
    const isRecorded = await this.recorded.record(blockRange, this.chain.addresses);
    this.resumeFrom(isRecorded ? { number, id, time } : await this.recorded.cursor());
    return isRecorded;
  }

  private resumeFrom(cursor: Cursor): void {
    this.cursor = cursor;
    this.pending = new PendingBlockRange(cursor);
    this.recordedAtMs = this.time.nowMs();
  }

  private get isDue(): boolean {
    return !this.pending.isEmpty && this.time.nowMs() - this.recordedAtMs >= (this.options.storeEveryMs ?? 5_000);
  }

  private noteProgress(): void {
    this.failures = 0;
    const lag = (this.head?.number ?? 0) - this.pending.end.number;
    this.state = { state: lag > maxFollowingLag ? 'catching_up' : 'following' };
  }

  private async recover(error: unknown, signal: AbortSignal): Promise<void> {
    this.failures += 1;
    this.state = { state: 'retrying', reason: reasonOf(error) };
    this.options.log.warn(
      { cursor: this.cursor.number, failures: this.failures, err: error },
      'Cannot read the chain; retrying',
    );
    const retryAfterMs = error instanceof ChainUnavailable ? (error.retryAfterMs ?? 0) : 0;
    if (retryAfterMs > 0) await this.time.pause(Math.min(retryAfterMs, maxRetryAfterMs), signal);
    await this.backoff.wait(this.failures, signal);
  }

  private stopPermanently(error: ChainStopped): void {
    this.state = { state: 'stopped', reason: error.message };
    this.options.log.error({ cursor: this.cursor.number, err: error }, `Stopped reading the chain: ${error.message}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
