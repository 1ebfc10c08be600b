import { createTestDatabase, type TestDatabase } from '@florin/database/testing';
import { type EventStore, noStream } from '@florin/event-sourcing';
import { newEvent, noBackoff, silentLog, wholeStream } from '@florin/event-sourcing/testing';
import { archiveClosedStreams, PostgresEventStore } from '@florin/event-store-postgres';
import { systemClock } from '@florin/kernel';
import { until } from '@florin/kernel/testing';
import { RecordedChain, TronWatcher } from '@florin/tron-application';
import { InMemoryChain } from '@florin/tron-application/testing';
import { type BlocksRead, lastBlockOf } from '@florin/tron-domain';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { archivedCategories } from './closed-streams';

const lastOfSegment = lastBlockOf(0);
const startBlock = lastOfSegment - 4;

describe('A TRON watcher whose recorded segments are all in the archive', () => {
  let database: TestDatabase;
  let pool: Pool;
  let directory: string;
  let chain: InMemoryChain;
  const stores: PostgresEventStore[] = [];
  const watchers: TronWatcher[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = new Pool({ ...database.connection, max: 2 });
    directory = mkdtempSync(join(tmpdir(), 'florin-archived-chain-'));
    chain = new InMemoryChain(startBlock, Date.parse('2030-01-01T00:00:00.000Z'));
    const store = open(directory);
    chain.mineMany(5);
    const watcher = watch(store);
    await until(() => watcher.status().cursorBlock === lastOfSegment);
    await watcher.stop();
    // The newest event of the log is never archived.
    await store.append('account-a', noStream, [newEvent()]);
    const signal = new AbortController().signal;
    const rules = { rules: archivedCategories, before: new Date('9999-01-01'), report: () => undefined, pauseMs: 0 };
    const { streams } = await archiveClosedStreams({ pool, store, directory, signal, ...rules });
    expect(streams).toBe(1);
    chain.mineMany(3);
    chain.blocksRequested.length = 0;
  });

  afterEach(async () => {
    await Promise.all(watchers.splice(0).map((watcher) => watcher.stop()));
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await pool.end();
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  function open(archiveDirectory?: string): PostgresEventStore {
    const store = new PostgresEventStore(database.connection, { archiveDirectory });
    stores.push(store);
    return store;
  }

  /** A watcher in a new process: it knows nothing but the log. */
  function watch(store: EventStore): TronWatcher {
    const speed = { blocksPerSecond: 1_000, pollMs: 5, storeEveryMs: 0, backoff: noBackoff };
    const options = { startBlock, contract: 'TContract', log: silentLog, ...speed };
    const recorded = new RecordedChain(store, systemClock, options);
    const watcher = new TronWatcher(chain, recorded, systemClock, options);
    watchers.push(watcher);
    watcher.start();
    return watcher;
  }

  it('continues after the last archived block', async () => {
    const store = open(directory);
    const watcher = watch(store);
    await until(() => watcher.status().cursorBlock === lastOfSegment + 3);
    expect(Math.min(...chain.blocksRequested)).toBeGreaterThan(lastOfSegment);
    const ranges = (await wholeStream(store, 'chain-1'))
      .filter(({ type }) => type === 'BlocksRead')
      .map(({ data }) => JSON.parse(data) as BlocksRead['data']);
    expect(ranges[0]!.fromBlock).toBe(lastOfSegment + 1);
    expect((await wholeStream(store, 'chain-0')).length).toBeGreaterThan(0);
    expect((await pool.query(`SELECT 1 FROM event_store.events WHERE stream = 'chain-0'`)).rows).toEqual([]);
  });

  it('reads and records nothing without access to the folder, and names the variable', async () => {
    const store = open();
    const watcher = watch(store);
    await until(() => watcher.status().state === 'retrying');
    expect(watcher.status().reason).toContain('Set ARCHIVE_DIR');
    expect(chain.blocksRequested).toEqual([]);
    expect(await wholeStream(store, 'chain-1')).toEqual([]);
  });
});
