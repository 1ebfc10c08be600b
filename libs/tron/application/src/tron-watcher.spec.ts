import type { BlocksRead } from '@florin/tron-domain';
import { type Chain, ChainUnavailable } from './chain.port';
import { FaultyStore } from './testing/faulty-store';
import { type ChainFault, retryAfterMs } from './testing/in-memory-chain';
import { WatcherFixture } from './testing/watcher-fixture';

const startBlock = 1_000;
const bounds = (blockRanges: readonly BlocksRead['data'][]) =>
  blockRanges.map(({ fromBlock, toBlock }) => [fromBlock, toBlock]);
const transfersIn = (blockRanges: readonly BlocksRead['data'][]) => blockRanges.flatMap(({ transfers }) => transfers);

describe('TronWatcher', () => {
  let fixture: WatcherFixture;

  beforeEach(() => {
    fixture = new WatcherFixture({ startBlock });
  });
  afterEach(() => fixture.stop());

  it('catches up in ranges of 100 blocks with all their transfers', async () => {
    for (let number = 0; number < 250; number++) fixture.chain.mine(number % 7 === 0 ? 2 : 0);
    fixture.watcher().start();
    const blockRanges = await fixture.untilRecorded(1_199);
    expect(bounds(blockRanges)).toEqual([
      [1_000, 1_099],
      [1_100, 1_199],
    ]);
    expect(transfersIn(await fixture.untilRecorded())).toEqual(fixture.chain.transfers);
  });

  it('ends a block range early when it has many transfers', async () => {
    for (let number = 0; number < 3; number++) fixture.chain.mine(300);
    fixture.watcher().start();
    expect(bounds(await fixture.untilRecorded())).toEqual([
      [1_000, 1_001],
      [1_002, 1_002],
    ]);
  });

  it('ends a block range at the end of a segment', async () => {
    fixture = new WatcherFixture({ startBlock: 199_990 });
    fixture.chain.mineMany(30);
    fixture.watcher({ storeEveryMs: 1 }).start();
    const blockRanges = await fixture.untilRecorded();
    expect(bounds(blockRanges)).toContainEqual([expect.any(Number), 199_999]);
    expect(blockRanges.find(({ fromBlock }) => fromBlock === 200_000)?.parentId).toBe(
      fixture.chain.all.find(({ number }) => number === 199_999)?.id,
    );
  });

  it('resumes in a later segment after a restart', async () => {
    fixture = new WatcherFixture({ startBlock: 199_990 });
    fixture.chain.mineMany(20);
    const first = fixture.watcher({ storeEveryMs: 1 });
    first.start();
    await fixture.untilRecorded();
    await first.stop();
    fixture.chain.mine(1);
    fixture.chain.blocksRequested.length = 0;
    fixture.watcher().start();
    await fixture.untilRecorded();
    expect(fixture.chain.blocksRequested).toEqual([200_010]);
  });

  it('records a block with a transfer immediately, with the empty blocks before it', async () => {
    fixture.chain.mineMany(3);
    fixture.chain.mine(1);
    const watcher = fixture.watcher({ storeEveryMs: Infinity });
    watcher.start();
    expect(bounds(await fixture.untilRecorded())).toEqual([[1_000, 1_003]]);
  });

  it('records empty blocks after a limited delay', async () => {
    const minedAtMs: number[] = [];
    fixture = new WatcherFixture({
      startBlock,
      onPause: (passedMs) => {
        minedAtMs.push(passedMs);
        fixture.chain.mine();
      },
    });
    fixture.chain.mine();
    fixture.watcher({ storeEveryMs: 5_000, pollMs: 1_000, blocksPerSecond: Infinity }).start();
    const blockRanges = await fixture.until((all) => all.length >= 3);
    expect(bounds(blockRanges.slice(0, 3))).toEqual([
      [1_000, 1_005],
      [1_006, 1_010],
      [1_011, 1_015],
    ]);
  });

  it('respects the rate limit', async () => {
    fixture.chain.mineMany(51);
    fixture.watcher({ blocksPerSecond: 10, storeEveryMs: 1_000 }).start();
    await fixture.untilRecorded();
    expect(fixture.time.nowMs()).toBeGreaterThanOrEqual(5_000);
  });

  it.each<ChainFault>(['unavailable', 'asksToRetryLater', 'breaks', 'lags', 'wrongNumber', 'wrongParent', 'wrongTime'])(
    'records every transfer once when a read ends as %p',
    async (fault) => {
      for (let number = 0; number < 40; number++) fixture.chain.mine(1);
      for (let call = 0; call < 60; call++) fixture.chain.faults.push(call % 6 === 3 ? fault : 'none');
      fixture.watcher({ concurrency: 3 }).start();
      expect(transfersIn(await fixture.untilRecorded())).toEqual(fixture.chain.transfers);
      expect(fixture.lines).toContain('Cannot read the chain; retrying');
    },
  );

  it('makes progress when most reads fail', async () => {
    fixture.chain.mineMany(120);
    // Only the head and one block of every four responses succeed, so every block must be recorded immediately.
    for (let call = 0; call < 600; call++) fixture.chain.faults.push(call % 4 < 2 ? 'none' : 'unavailable');
    fixture.watcher({ concurrency: 1, storeEveryMs: Infinity }).start();
    const blockRanges = await fixture.untilRecorded(1_100);
    expect(blockRanges[0]?.fromBlock).toBe(startBlock);
  });

  it('waits for the Retry-After of a node up to a maximum', async () => {
    fixture.chain.mine(1);
    fixture.chain.faults.push('asksToRetryLater');
    fixture.watcher().start();
    await fixture.untilRecorded();
    expect(fixture.time.pauses).toContain(retryAfterMs);
    const impatient: Chain = {
      addresses: fixture.chain.addresses,
      solidHead: () => Promise.reject(new ChainUnavailable('', { retryAfterMs: 1e12 })),
      readBlock: () => Promise.reject(new Error('not asked')),
    };
    fixture.watcher({}, impatient).start();
    await fixture.until(() => fixture.time.pauses.includes(300_000));
    expect(Math.max(...fixture.time.pauses)).toBe(300_000);
  });

  it('waits for a lagging node and records nothing twice', async () => {
    fixture.chain.mineMany(10);
    const watcher = fixture.watcher({ storeEveryMs: 0 });
    watcher.start();
    const before = await fixture.untilRecorded();
    fixture.chain.faults.push(...Array<ChainFault>(5).fill('lags'));
    await fixture.until(() => fixture.chain.faults.length === 0);
    expect(watcher.status()).toMatchObject({ state: 'following', cursorBlock: 1_009, headBlock: 1_009, lagBlocks: 0 });
    fixture.chain.mine(1);
    expect(await fixture.untilRecorded()).toHaveLength(before.length + 1);
  });

  it.each(['fails', 'storesThenFails'] as const)('records blocks once when an append %p', async (fault) => {
    for (let number = 0; number < 5; number++) fixture.chain.mine(1);
    const store = new FaultyStore(fixture.store);
    store.faults.push('none', fault);
    fixture.watcher({}, fixture.chain, store).start();
    expect(transfersIn(await fixture.untilRecorded())).toEqual(fixture.chain.transfers);
  });

  it('shares the chain with another replica', async () => {
    for (let number = 0; number < 300; number++) fixture.chain.mine(number % 10 === 0 ? 1 : 0);
    const both = [fixture.watcher({ concurrency: 3 }), fixture.watcher({ concurrency: 5, storeEveryMs: 20 })];
    for (const watcher of both) watcher.start();
    const blockRanges = await fixture.untilRecorded(1_290);
    expect(transfersIn(blockRanges)).toEqual(fixture.chain.transfers);
    expect(both.map((watcher) => watcher.status().state)).not.toContain('stopped');
  });

  describe('stops permanently with a reason', () => {
    it('when the node is on another chain', async () => {
      fixture.chain.mineMany(5);
      const watcher = fixture.watcher({ storeEveryMs: 0 });
      watcher.start();
      await fixture.untilRecorded();
      await watcher.stop();
      const fork = fixture.chain.fork('another', 2);
      for (let number = 0; number < 5; number++) fork.mine(1);
      const misled = fixture.watcher({}, fork);
      misled.start();
      await fixture.until(() => misled.status().state === 'stopped');
      expect(misled.status().reason).toMatch(/^Block 1004 was recorded as .* it is on another chain/);
      expect(transfersIn(await fixture.untilRecorded())).toEqual([]);
    });

    it('when the node returns another block as the head', async () => {
      fixture.chain.mineMany(5);
      const watcher = fixture.watcher({ storeEveryMs: 0 });
      watcher.start();
      await fixture.untilRecorded();
      await watcher.stop();
      const fork = fixture.chain.fork('another', 1);
      fork.mine();
      const misled = fixture.watcher({}, fork);
      misled.start();
      await fixture.until(() => misled.status().state === 'stopped');
      expect(misled.status().reason).toContain('another chain');
    });

    it('when another replica has recorded another chain', async () => {
      fixture.chain.mineMany(5);
      const fork = fixture.chain.fork('another');
      const [first, misled] = [fixture.watcher({ storeEveryMs: 0 }), fixture.watcher({ storeEveryMs: 0 }, fork)];
      for (const watcher of [first, misled]) watcher.start();
      await fixture.untilRecorded();
      fixture.chain.mine(1);
      await fixture.untilRecorded();
      fork.mine(1);
      await fixture.until(() => misled.status().state === 'stopped');
      expect(transfersIn(await fixture.untilRecorded())).toEqual(fixture.chain.transfers);
    });

    it('when another token is configured', async () => {
      fixture.chain.mine();
      const watcher = fixture.watcher({ storeEveryMs: 0 });
      watcher.start();
      await fixture.untilRecorded();
      const misled = fixture.watcher({ contract: 'TAnother' });
      misled.start();
      await fixture.until(() => misled.status().state === 'stopped');
      expect(misled.status().reason).toContain('TAnother');
      expect(fixture.lines.at(-1)).toMatch(/^Stopped reading the chain/);
    });
  });

  it('resumes from the log, ignores the start block and logs a warning', async () => {
    fixture.chain.mineMany(5);
    const first = fixture.watcher({ storeEveryMs: 0 });
    first.start();
    await fixture.untilRecorded();
    await first.stop();
    fixture.chain.mine(1);
    fixture.watcher({ startBlock: 5 }).start();
    await fixture.untilRecorded();
    expect(fixture.lines).toContain('The chain is recorded from block 1000; ignoring the start block');
  });

  it('reports its status', async () => {
    const watcher = fixture.watcher({ storeEveryMs: 0, pollMs: 60_000 });
    expect(watcher.status()).toEqual({ state: 'starting', cursorBlock: 0 });
    fixture.chain.mineMany(2);
    watcher.start();
    await fixture.untilRecorded();
    await fixture.until(() => watcher.status().state === 'following');
    expect(watcher.status()).toMatchObject({ cursorBlock: 1_001, headBlock: 1_001, lagBlocks: 0 });
    await fixture.until(() => (watcher.status().lagSeconds ?? 0) >= 60);
    fixture.chain.faults.push('breaks');
    await fixture.until(() => watcher.status().reason === 'Something unforeseen');
    await watcher.stop();
    expect(watcher.status().state).toBe('ended');
  });

  it('stops immediately although the node hangs and can be started again', async () => {
    fixture.chain.mineMany(3);
    fixture.chain.faults.push('none', 'hangs');
    const watcher = fixture.watcher({ storeEveryMs: 0 });
    watcher.onApplicationBootstrap();
    await fixture.until(() => fixture.chain.faults.length === 0);
    await watcher.beforeApplicationShutdown();
    watcher.start();
    await fixture.untilRecorded();
  });
});
