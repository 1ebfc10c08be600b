import { checkRandomFlows, randomFlowsTimeoutMs } from '@florin/event-sourcing/testing';
import type { BlocksRead } from '@florin/tron-domain';
import * as fc from 'fast-check';
import type { Chain } from './chain.port';
import { FaultyStore, type StoreFault } from './testing/faulty-store';
import type { ChainFault } from './testing/in-memory-chain';
import { WatcherWorld } from './testing/watcher-world';

interface Story {
  /** Small, so that runs cross the end of an era now and then. */
  readonly blocksToEra: number;
  /** How many transfers to us are in each block. */
  readonly blocks: readonly number[];
  /** So many are there at the beginning; the others come as time passes. */
  readonly backlog: number;
  readonly replicas: number;
  readonly concurrency: number;
  readonly storeEveryMs: number;
  readonly chainFaults: readonly (ChainFault | 'none')[];
  readonly storeFaults: readonly (StoreFault | 'none')[];
}

const chainFaults: readonly ChainFault[] = [
  'unavailable',
  'asksForPatience',
  'breaks',
  'lags',
  'wrongNumber',
  'wrongParent',
  'wrongTime',
];
const storeFaults: readonly StoreFault[] = ['fails', 'storesThenFails', 'crashes', 'storesThenCrashes'];

const mostlyNone = <Fault>(faults: readonly Fault[], maxLength: number): fc.Arbitrary<(Fault | 'none')[]> => {
  const fault = { weight: 1, arbitrary: fc.constantFrom(...faults) };
  return fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('none' as const) }, fault), { maxLength, size: 'max' });
};

const transferCounts = fc.oneof(
  { weight: 80, arbitrary: fc.constant(0) },
  { weight: 19, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 600 }) },
);

const stories: fc.Arbitrary<Story> = fc.record({
  blocksToEra: fc.integer({ min: 1, max: 400 }),
  blocks: fc.array(transferCounts, { minLength: 1, maxLength: 300, size: 'max' }),
  backlog: fc.integer({ min: 1, max: 300 }),
  replicas: fc.integer({ min: 1, max: 3 }),
  concurrency: fc.integer({ min: 1, max: 9 }),
  storeEveryMs: fc.constantFrom(0, 5_000, 60_000),
  chainFaults: mostlyNone(chainFaults, 200),
  storeFaults: mostlyNone(storeFaults, 30),
});

/** Replicas that read one chain through a bad node into a bad store; whoever crashes is replaced by a new one. */
class Crew {
  readonly world: WatcherWorld;
  private readonly faults: (StoreFault | 'none')[];
  private toMine: number[];

  constructor(private readonly story: Story) {
    this.world = new WatcherWorld({ startBlock: 300_000 - story.blocksToEra, onPause: () => this.mineNext() });
    this.toMine = [...story.blocks];
    this.faults = [...story.storeFaults];
    for (let mined = 0; mined < story.backlog; mined++) this.mineNext();
    this.world.chain.faults.push(...story.chainFaults);
  }

  private mineNext(): void {
    const transfers = this.toMine.shift();
    if (transfers !== undefined) this.world.chain.mine(transfers);
  }

  /** Until every block of the story is there and recorded. */
  async run(): Promise<readonly BlocksRead['data'][]> {
    for (let replica = 0; replica < this.story.replicas; replica++) this.hire();
    await this.world.until(() => this.toMine.length === 0);
    // A transfer has the blocks before it recorded at once, whatever may wait otherwise.
    this.world.chain.mine(1);
    await this.world.untilRecorded();
    // Whoever crashes now would never come to an end; what is under way has one turn to do so before.
    this.faults.length = 0;
    await new Promise((resolve) => setImmediate(resolve));
    await this.world.stop();
    return this.world.recorded();
  }

  private hire(): void {
    const { concurrency, storeEveryMs } = this.story;
    const store = new FaultyStore(this.world.store, () => {
      this.world.forget(watcher);
      this.hire();
    });
    // All draw from one supply, so that the faults come to an end.
    store.faults.shift = () => this.faults.shift();
    const forTheLiving: Chain = {
      solidHead: () => (store.isDead ? never() : this.world.chain.solidHead()),
      readBlock: (number) => (store.isDead ? never() : this.world.chain.readBlock(number)),
    };
    const watcher = this.world.watcher({ concurrency, storeEveryMs }, forTheLiving, store);
    watcher.start();
  }
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('whatever the chain, the node, the store and the process do', () => {
  it(
    'every solidified block is recorded exactly once, in order, with all that is in it',
    async () => {
      await checkRandomFlows(
        'Chain watchers',
        stories,
        async (story) => {
          const crew = new Crew(story);
          const stretches = await crew.run();
          const { all, transfers } = crew.world.chain;
          let next = 0;
          for (const { fromBlock, parentId, toBlock, toBlockId, toBlockTime } of stretches) {
            const [first, last] = [all[next]!, all[next + toBlock - fromBlock]!];
            expect([fromBlock, parentId]).toEqual([first.number, first.parentId]);
            expect([toBlock, toBlockId, toBlockTime]).toEqual([last.number, last.id, last.time]);
            next += toBlock - fromBlock + 1;
          }
          expect(next).toBe(all.length);
          expect(stretches.flatMap((stretch) => stretch.transfers)).toEqual(transfers);
        },
        { perChange: 60 },
      );
    },
    randomFlowsTimeoutMs,
  );
});
