import type { BlocksRead } from '@florin/tron-domain';
import { ChainUnavailable } from './chain.port';
import { FaultyStore } from './testing/faulty-store';
import { type ChainFault, retryAfterMs } from './testing/in-memory-chain';
import { WatcherWorld } from './testing/watcher-world';

const startBlock = 1_000;
const bounds = (stretches: readonly BlocksRead['data'][]) =>
  stretches.map(({ fromBlock, toBlock }) => [fromBlock, toBlock]);
const transfersIn = (stretches: readonly BlocksRead['data'][]) => stretches.flatMap(({ transfers }) => transfers);

describe('TronWatcher', () => {
  let world: WatcherWorld;

  beforeEach(() => {
    world = new WatcherWorld({ startBlock });
  });
  afterEach(() => world.stop());

  it('catches up in stretches of a hundred blocks, with all that is in them', async () => {
    for (let number = 0; number < 250; number++) world.chain.mine(number % 7 === 0 ? 2 : 0);
    world.watcher().start();
    const stretches = await world.untilRecorded(1_199);
    expect(bounds(stretches)).toEqual([
      [1_000, 1_099],
      [1_100, 1_199],
    ]);
    expect(transfersIn(await world.untilRecorded())).toEqual(world.chain.transfers);
  });

  it('ends a stretch early when there is much in it', async () => {
    for (let number = 0; number < 3; number++) world.chain.mine(300);
    world.watcher().start();
    expect(bounds(await world.untilRecorded())).toEqual([
      [1_000, 1_001],
      [1_002, 1_002],
    ]);
  });

  it('never lets a stretch cross the end of an era', async () => {
    world = new WatcherWorld({ startBlock: 199_990 });
    world.chain.mineMany(30);
    world.watcher({ storeEveryMs: 1 }).start();
    const stretches = await world.untilRecorded();
    expect(bounds(stretches)).toContainEqual([expect.any(Number), 199_999]);
    expect(stretches.find(({ fromBlock }) => fromBlock === 200_000)?.parentId).toBe(
      world.chain.all.find(({ number }) => number === 199_999)?.id,
    );
  });

  it('goes on in a later era after a restart', async () => {
    world = new WatcherWorld({ startBlock: 199_990 });
    world.chain.mineMany(20);
    const first = world.watcher({ storeEveryMs: 1 });
    first.start();
    await world.untilRecorded();
    await first.stop();
    world.chain.mine(1);
    world.chain.blocksAsked.length = 0;
    world.watcher().start();
    await world.untilRecorded();
    expect(world.chain.blocksAsked).toEqual([200_010]);
  });

  it('records a block with a transfer at once, and the empty ones before it with it', async () => {
    world.chain.mineMany(3);
    world.chain.mine(1);
    const watcher = world.watcher({ storeEveryMs: Infinity });
    watcher.start();
    expect(bounds(await world.untilRecorded())).toEqual([[1_000, 1_003]]);
  });

  it('lets empty blocks wait, but not for long', async () => {
    const minedAtMs: number[] = [];
    world = new WatcherWorld({
      startBlock,
      onPause: (passedMs) => {
        minedAtMs.push(passedMs);
        world.chain.mine();
      },
    });
    world.chain.mine();
    world.watcher({ storeEveryMs: 5_000, pollMs: 1_000, blocksPerSecond: Infinity }).start();
    const stretches = await world.until((all) => all.length >= 3);
    expect(bounds(stretches.slice(0, 3))).toEqual([
      [1_000, 1_005],
      [1_006, 1_010],
      [1_011, 1_015],
    ]);
  });

  it('keeps to its pace', async () => {
    world.chain.mineMany(51);
    world.watcher({ blocksPerSecond: 10, storeEveryMs: 1_000 }).start();
    await world.untilRecorded();
    expect(world.time.nowMs()).toBeGreaterThanOrEqual(5_000);
  });

  it.each<ChainFault>(['unavailable', 'asksForPatience', 'breaks', 'lags', 'wrongNumber', 'wrongParent', 'wrongTime'])(
    'skips nothing and doubles nothing when a read comes out as %p',
    async (fault) => {
      for (let number = 0; number < 40; number++) world.chain.mine(1);
      for (let call = 0; call < 60; call++) world.chain.faults.push(call % 6 === 3 ? fault : 'none');
      world.watcher({ concurrency: 3 }).start();
      expect(transfersIn(await world.untilRecorded())).toEqual(world.chain.transfers);
      expect(world.lines).toContain('Cannot read the chain; trying again');
    },
  );

  it('gets on even when most reads fail', async () => {
    world.chain.mineMany(120);
    // Of every four answers the head and one block come through, so that every block has to be kept at once.
    for (let call = 0; call < 600; call++) world.chain.faults.push(call % 4 < 2 ? 'none' : 'unavailable');
    world.watcher({ concurrency: 1, storeEveryMs: Infinity }).start();
    const stretches = await world.untilRecorded(1_100);
    expect(stretches[0]?.fromBlock).toBe(startBlock);
  });

  it('leaves a node alone for as long as it asks, within reason', async () => {
    world.chain.mine(1);
    world.chain.faults.push('asksForPatience');
    world.watcher().start();
    await world.untilRecorded();
    expect(world.time.pauses).toContain(retryAfterMs);
    const impatient = { solidHead: () => Promise.reject(new ChainUnavailable('', { retryAfterMs: 1e12 })) };
    world.watcher({}, { ...impatient, readBlock: () => Promise.reject(new Error('not asked')) }).start();
    await world.until(() => world.time.pauses.includes(300_000));
    expect(Math.max(...world.time.pauses)).toBe(300_000);
  });

  it('waits for a node that is behind, and records nothing twice', async () => {
    world.chain.mineMany(10);
    const watcher = world.watcher({ storeEveryMs: 0 });
    watcher.start();
    const before = await world.untilRecorded();
    world.chain.faults.push(...Array<ChainFault>(5).fill('lags'));
    await world.until(() => world.chain.faults.length === 0);
    expect(watcher.status()).toMatchObject({ state: 'following', cursorBlock: 1_009, headBlock: 1_009, lagBlocks: 0 });
    world.chain.mine(1);
    expect(await world.untilRecorded()).toHaveLength(before.length + 1);
  });

  it.each(['fails', 'storesThenFails'] as const)('records once when an append %p', async (fault) => {
    for (let number = 0; number < 5; number++) world.chain.mine(1);
    const store = new FaultyStore(world.store);
    store.faults.push('none', fault);
    world.watcher({}, world.chain, store).start();
    expect(transfersIn(await world.untilRecorded())).toEqual(world.chain.transfers);
  });

  it('shares the chain with another one of its kind', async () => {
    for (let number = 0; number < 300; number++) world.chain.mine(number % 10 === 0 ? 1 : 0);
    const both = [world.watcher({ concurrency: 3 }), world.watcher({ concurrency: 5, storeEveryMs: 20 })];
    for (const watcher of both) watcher.start();
    const stretches = await world.untilRecorded(1_290);
    expect(transfersIn(stretches)).toEqual(world.chain.transfers);
    expect(both.map((watcher) => watcher.status().state)).not.toContain('stopped');
  });

  describe('stops for good, and tells why,', () => {
    it('when the node is on another chain', async () => {
      world.chain.mineMany(5);
      const watcher = world.watcher({ storeEveryMs: 0 });
      watcher.start();
      await world.untilRecorded();
      await watcher.stop();
      const fork = world.chain.fork('another', 2);
      for (let number = 0; number < 5; number++) fork.mine(1);
      const misled = world.watcher({}, fork);
      misled.start();
      await world.until(() => misled.status().state === 'stopped');
      expect(misled.status().reason).toMatch(/^Block 1004 was recorded as .* it is on another chain/);
      expect(transfersIn(await world.untilRecorded())).toEqual([]);
    });

    it('when the node shows another block as the newest', async () => {
      world.chain.mineMany(5);
      const watcher = world.watcher({ storeEveryMs: 0 });
      watcher.start();
      await world.untilRecorded();
      await watcher.stop();
      const fork = world.chain.fork('another', 1);
      fork.mine();
      const misled = world.watcher({}, fork);
      misled.start();
      await world.until(() => misled.status().state === 'stopped');
      expect(misled.status().reason).toContain('another chain');
    });

    it('when others have recorded another chain meanwhile', async () => {
      world.chain.mineMany(5);
      const fork = world.chain.fork('another');
      const [first, misled] = [world.watcher({ storeEveryMs: 0 }), world.watcher({ storeEveryMs: 0 }, fork)];
      for (const watcher of [first, misled]) watcher.start();
      await world.untilRecorded();
      world.chain.mine(1);
      await world.untilRecorded();
      fork.mine(1);
      await world.until(() => misled.status().state === 'stopped');
      expect(transfersIn(await world.untilRecorded())).toEqual(world.chain.transfers);
    });

    it('when it is told to watch another token', async () => {
      world.chain.mine();
      const watcher = world.watcher({ storeEveryMs: 0 });
      watcher.start();
      await world.untilRecorded();
      const misled = world.watcher({ contract: 'TAnother' });
      misled.start();
      await world.until(() => misled.status().state === 'stopped');
      expect(misled.status().reason).toContain('TAnother');
      expect(world.lines.at(-1)).toMatch(/^Reading the chain has stopped/);
    });
  });

  it('goes on from the log and not from the start block, and says so', async () => {
    world.chain.mineMany(5);
    const first = world.watcher({ storeEveryMs: 0 });
    first.start();
    await world.untilRecorded();
    await first.stop();
    world.chain.mine(1);
    world.watcher({ startBlock: 5 }).start();
    await world.untilRecorded();
    expect(world.lines).toContain('Reading was begun at block 1000 long ago; the start block is ignored');
  });

  it('tells how it stands', async () => {
    const watcher = world.watcher({ storeEveryMs: 0, pollMs: 60_000 });
    expect(watcher.status()).toEqual({ state: 'starting', cursorBlock: 0 });
    world.chain.mineMany(2);
    watcher.start();
    await world.untilRecorded();
    await world.until(() => watcher.status().state === 'following');
    expect(watcher.status()).toMatchObject({ cursorBlock: 1_001, headBlock: 1_001, lagBlocks: 0 });
    await world.until(() => (watcher.status().lagSeconds ?? 0) >= 60);
    world.chain.faults.push('breaks');
    await world.until(() => watcher.status().reason === 'Something unforeseen');
    await watcher.stop();
    expect(watcher.status().state).toBe('ended');
  });

  it('ends at once although the node hangs, and can be started anew', async () => {
    world.chain.mineMany(3);
    world.chain.faults.push('none', 'hangs');
    const watcher = world.watcher({ storeEveryMs: 0 });
    watcher.onApplicationBootstrap();
    await world.until(() => world.chain.faults.length === 0);
    await watcher.beforeApplicationShutdown();
    watcher.start();
    await world.untilRecorded();
  });
});
