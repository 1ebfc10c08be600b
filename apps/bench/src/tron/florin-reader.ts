import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseConnection } from '@florin/database';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { systemClock } from '@florin/kernel';
import { RecordedChain, TronWatcher } from '@florin/tron-application';
import { TronNodeChain } from '@florin/tron-node';

export interface FlorinReaderOptions {
  readonly url: string;
  readonly contract: string;
  readonly address: string;
  readonly startBlock: number;
  readonly concurrency: number;
}

/** The product's watcher on a separate event store: checks everything and stores every transfer to our address. */
export class FlorinReader {
  private readonly store: PostgresEventStore;
  private readonly chain: TronNodeChain;
  private readonly watcher: TronWatcher;

  constructor(database: DatabaseConnection, { url, contract, address, startBlock, concurrency }: FlorinReaderOptions) {
    this.store = new PostgresEventStore(database);
    this.chain = new TronNodeChain({ url, contract, addresses: [address] });
    const log = { info: () => undefined, warn: console.error, error: console.error };
    const options = { startBlock, contract, concurrency, blocksPerSecond: Infinity, pollMs: 1, log };
    const recorded = new RecordedChain(this.store, systemClock, {});
    this.watcher = new TronWatcher(this.chain, recorded, systemClock, options);
  }

  /** Reads from the current block up to this one. */
  async readTo(block: number): Promise<void> {
    this.watcher.start();
    while (this.watcher.status().cursorBlock < block) await delay(1);
    await this.watcher.stop();
  }

  async close(): Promise<void> {
    await this.chain.close();
    await this.store.close();
  }
}
