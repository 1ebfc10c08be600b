import { beforeFirst, type EventStore, type RecordedEvent, type SubscriptionLog } from '@florin/event-sourcing';
import { InMemoryEventStore } from '@florin/event-sourcing/testing';
import { randomId } from '@florin/kernel';
import type { BlocksRead } from '@florin/tron-domain';
import type { Chain } from '../chain.port';
import { RecordedChain } from '../recorded-chain';
import type { TronOptions } from '../tron-options';
import { TronWatcher } from '../tron-watcher';
import { InMemoryChain } from './in-memory-chain';
import { VirtualTime } from './virtual-time';

export const startMs = Date.parse('2030-01-01T00:00:00.000Z');

interface FixtureOptions {
  readonly startBlock: number;
  /** Called in every pause with the elapsed time. */
  readonly onPause?: (passedMs: number) => void;
}

/** A watcher with a chain, a log and a virtual clock. */
export class WatcherFixture {
  readonly store = new InMemoryEventStore();
  readonly lines: string[] = [];
  readonly time: VirtualTime;
  readonly chain: InMemoryChain;
  readonly startBlock: number;
  private readonly started = new Set<TronWatcher>();
  private readonly blockRanges: BlocksRead['data'][] = [];
  private readTo = beforeFirst;

  constructor({ startBlock, onPause }: FixtureOptions) {
    this.startBlock = startBlock;
    this.time = new VirtualTime(startMs, onPause);
    this.chain = new InMemoryChain(startBlock, startMs);
  }

  watcher(options: Partial<TronOptions> = {}, chain: Chain = this.chain, store: EventStore = this.store): TronWatcher {
    const write = (_details: object, message: string): void => void this.lines.push(message);
    const log: SubscriptionLog = { info: write, warn: write, error: write };
    const { time, startBlock } = this;
    const backoff = { wait: (retry: number, signal?: AbortSignal) => time.pause(100 * retry, signal) };
    const all = { startBlock, contract: 'TContract', blocksPerSecond: 1_000, log, backoff, time, ...options };
    const watcher = new TronWatcher(chain, new RecordedChain(store, time, all), time, all);
    this.started.add(watcher);
    return watcher;
  }

  /** All recorded block ranges in the order of the log. */
  async recorded(): Promise<readonly BlocksRead['data'][]> {
    const { events, readTo } = await this.store.readAll({ after: this.readTo, categories: ['chain'] });
    this.readTo = readTo;
    for (const { type, data } of events) {
      if (type === 'BlocksRead') this.blockRanges.push(JSON.parse(data) as BlocksRead['data']);
    }
    return this.blockRanges;
  }

  /** Appends blocks as someone could who writes to the log directly. */
  async appendForged(stream: string, data: BlocksRead['data']): Promise<void> {
    const events: RecordedEvent[] = [];
    for await (const page of this.store.readStream(stream)) events.push(...page);
    const { type, metadata, revision } = events.at(-1)!;
    await this.store.append(stream, revision, [{ id: randomId(), type, data: JSON.stringify(data), metadata }]);
  }

  async untilRecorded(block = this.chain.head.number): Promise<readonly BlocksRead['data'][]> {
    return this.until((blockRanges) => (blockRanges.at(-1)?.toBlock ?? 0) >= block);
  }

  async until(
    isReached: (blockRanges: readonly BlocksRead['data'][]) => boolean,
  ): Promise<readonly BlocksRead['data'][]> {
    for (let turns = 0; turns < 20_000; turns++) {
      const blockRanges = await this.recorded();
      if (isReached(blockRanges)) return [...blockRanges];
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`The condition was never met: ${this.lines.slice(-3).join(' | ')}`);
  }

  /** Its process has crashed, so it is not stopped at the end. */
  forget(watcher: TronWatcher): void {
    this.started.delete(watcher);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.started].map((watcher) => watcher.stop()));
  }
}
