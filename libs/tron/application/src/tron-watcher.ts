import { type Backoff, CLOCK, exponentialBackoff } from '@florin/event-sourcing';
import type { Clock } from '@florin/kernel';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Block, type BlockHead, CHAIN, type Chain, ChainUnavailable } from './chain.port';
import { PendingBlockRange } from './pending-block-range';
import { RateLimiter } from './rate-limiter';
import { readAhead } from './read-ahead';
import { ChainStopped, type Cursor, RecordedChain } from './recorded-chain';
import { TRON_OPTIONS, type TronOptions, type WatcherTime } from './tron-options';
import { untilAborted } from './until-aborted';

export interface TronStatus {
  /** `stopped` needs a person, `retrying` may come right by itself; both tell the reason. */
  readonly state: 'starting' | 'catching_up' | 'following' | 'retrying' | 'stopped' | 'ended';
  /** The last block that is recorded; zero until it is known. */
  readonly cursorBlock: number;
  /** The newest solidified block that was ever seen. */
  readonly headBlock?: number;
  readonly lagBlocks?: number;
  /** How old the last recorded block is. About a minute is usual, since it takes that long until a block is solid. */
  readonly lagSeconds?: number;
  readonly reason?: string;
}

/** A node that asks for more than this is mistaken; meanwhile invoices could not be settled. */
const maxRetryAfterMs = 300_000;

/** So many blocks behind it, a watcher still counts as following the head: they may come in bursts. */
const nearTheHead = 20;

const realTime: WatcherTime = {
  nowMs: () => performance.now(),
  pause: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined),
};

/**
 * Reads every solidified block in order and records what is in it for us, together with how far it has come. Whatever
 * fails is tried again from the last record, so that no block is ever passed over. Several may run at the same time:
 * the log takes each block from one of them only.
 */
@Injectable()
export class TronWatcher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly time: WatcherTime;
  private readonly rateLimiter: RateLimiter;
  private readonly backoff: Backoff;
  private stopping = new AbortController();
  private running: Promise<void> | undefined;
  private state: Pick<TronStatus, 'state' | 'reason'> = { state: 'starting' };
  /** Up to where it is recorded, as far as this process knows. */
  private cursor: Cursor = { number: 0 };
  /** What was read since. */
  private open = new PendingBlockRange(this.cursor);
  private recordedAtMs = 0;
  private head: BlockHead | undefined;
  private failures = 0;

  constructor(
    @Inject(CHAIN) private readonly chain: Chain,
    @Inject(RecordedChain) private readonly recorded: RecordedChain,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(TRON_OPTIONS) private readonly options: TronOptions,
  ) {
    this.time = options.time ?? realTime;
    this.rateLimiter = new RateLimiter(options.blocksPerSecond ?? 25);
    this.backoff = options.backoff ?? exponentialBackoff(500, 30_000);
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  start(): void {
    this.running ??= this.run(this.stopping.signal);
  }

  /** Ends at once; what was read and not recorded is read again next time. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.stopping = new AbortController();
    this.running = undefined;
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

  private async run(signal: AbortSignal): Promise<void> {
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
    const begun = await this.recorded.start(startBlock, contract);
    if (begun !== startBlock && this.state.state === 'starting') {
      log.warn({ startBlock, begun }, `Reading was begun at block ${begun} long ago; the start block is ignored`);
    }
    this.resumeFrom(await this.recorded.cursor());
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const head = await this.pollHead(signal);
      try {
        await this.readUpTo(head, signal);
      } catch (error) {
        // What came before the failure is kept: else a node that fails often would be read in circles.
        if (error instanceof ChainUnavailable) await this.record();
        throw error;
      }
      if (this.open.hasTransfers || this.isDue) await this.record();
      if (this.open.end.number >= head.number) await this.time.pause(this.options.pollMs ?? 1_000, signal);
    }
  }

  private async pollHead(signal: AbortSignal): Promise<BlockHead> {
    const head = await untilAborted(this.chain.solidHead(), signal);
    if (this.head === undefined || head.number > this.head.number) this.head = head;
    if (head.number === this.cursor.number && head.id !== this.cursor.id) await this.checkCursor(signal);
    if (head.number <= this.open.end.number) this.noteProgress();
    return head;
  }

  /** Up to the head, or up to where others have recorded what was read here. */
  private async readUpTo(head: BlockHead, signal: AbortSignal): Promise<void> {
    const { chain, rateLimiter, time } = this;
    const ahead = { chain, rateLimiter, time, concurrency: this.options.concurrency ?? 8 };
    for await (const block of readAhead(ahead, this.open.end.number + 1, head.number, signal)) {
      await this.take(block, signal);
      if ((this.open.isFull || this.isDue) && !(await this.record())) return;
    }
  }

  private async take(block: Block, signal: AbortSignal): Promise<void> {
    try {
      this.open.add(block);
    } catch (error) {
      // Of two blocks that do not fit together either may be wrong, so that neither is recorded.
      const followsOnRecord = this.open.isEmpty;
      this.resumeFrom(this.cursor);
      if (followsOnRecord) await this.checkCursor(signal);
      throw error;
    }
    this.noteProgress();
  }

  /** Asks the node for the very block that was recorded last: if that is another one now, nothing it says may count. */
  private async checkCursor(signal: AbortSignal): Promise<void> {
    const { number, id } = this.cursor;
    if (id === undefined) return;
    const block = await untilAborted(this.chain.readBlock(number), signal);
    if (block.number !== number || block.id === id) return;
    throw new ChainStopped(
      `Block ${number} was recorded as ${id}, and the node shows ${block.id}: it is on another chain. Nothing is ` +
        'recorded any more; give TRON_NODE_URL a node of the right chain and start again',
    );
  }

  /** False when others were faster; either way everything goes on from what is recorded now. */
  private async record(): Promise<boolean> {
    const blockRange = this.open.toBlockRange();
    if (blockRange === undefined) return true;
    const { toBlock: number, toBlockId: id, toBlockTime: time } = blockRange;
    const isRecorded = await this.recorded.record(blockRange);
    this.resumeFrom(isRecorded ? { number, id, time } : await this.recorded.cursor());
    return isRecorded;
  }

  private resumeFrom(cursor: Cursor): void {
    this.cursor = cursor;
    this.open = new PendingBlockRange(cursor);
    this.recordedAtMs = this.time.nowMs();
  }

  private get isDue(): boolean {
    return !this.open.isEmpty && this.time.nowMs() - this.recordedAtMs >= (this.options.storeEveryMs ?? 5_000);
  }

  private noteProgress(): void {
    this.failures = 0;
    const missing = (this.head?.number ?? 0) - this.open.end.number;
    this.state = { state: missing > nearTheHead ? 'catching_up' : 'following' };
  }

  private async recover(error: unknown, signal: AbortSignal): Promise<void> {
    this.failures += 1;
    this.state = { state: 'retrying', reason: reasonOf(error) };
    this.options.log.warn(
      { cursor: this.cursor.number, failures: this.failures, err: error },
      'Cannot read the chain; trying again',
    );
    const retryAfterMs = error instanceof ChainUnavailable ? (error.retryAfterMs ?? 0) : 0;
    if (retryAfterMs > 0) await this.time.pause(Math.min(retryAfterMs, maxRetryAfterMs), signal);
    await this.backoff.wait(this.failures, signal);
  }

  private stopPermanently(error: ChainStopped): void {
    this.state = { state: 'stopped', reason: error.message };
    this.options.log.error(
      { cursor: this.cursor.number, err: error },
      `Reading the chain has stopped: ${error.message}`,
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
