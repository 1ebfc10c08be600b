import { checkRandomFlows, randomFlowParts, randomFlowsTimeoutMs } from '@florin/event-sourcing/testing';
import type { BlocksRead } from '@florin/tron-domain';
import * as fc from 'fast-check';
import type { Chain } from './chain.port';
import { FaultyStore, type StoreFault } from './testing/faulty-store';
import type { ChainFault } from './testing/in-memory-chain';
import { WatcherFixture } from './testing/watcher-fixture';

interface Scenario {
  /** Small, so that some runs cross the end of a segment. */
  readonly blocksToSegmentEnd: number;
  /** The number of transfers in each block. */
  readonly blocks: readonly number[];
  /** The number of blocks at the start; the others are mined over time. */
  readonly backlog: number;
  readonly replicas: number;
  readonly concurrency: number;
  readonly storeEveryMs: number;
  readonly chainFaults: readonly (ChainFault | 'none')[];
  readonly storeFaults: readonly (StoreFault | 'none')[];
}

const chainFaults: readonly ChainFault[] = [
  'unavailable',
  'asksToRetryLater',
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

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  blocksToSegmentEnd: fc.integer({ min: 1, max: 400 }),
  blocks: fc.array(transferCounts, { minLength: 1, maxLength: 300, size: 'max' }),
  backlog: fc.integer({ min: 1, max: 300 }),
  replicas: fc.integer({ min: 1, max: 3 }),
  concurrency: fc.integer({ min: 1, max: 9 }),
  storeEveryMs: fc.constantFrom(0, 5_000, 60_000),
  chainFaults: mostlyNone(chainFaults, 200),
  storeFaults: mostlyNone(storeFaults, 30),
});

/** Replicas that read one chain through a faulty node into a faulty store; a crashed replica is replaced. */
class Crew {
  readonly fixture: WatcherFixture;
  private readonly faults: (StoreFault | 'none')[];
  private toMine: number[];

  constructor(private readonly scenario: Scenario) {
    this.fixture = new WatcherFixture({
      startBlock: 300_000 - scenario.blocksToSegmentEnd,
      onPause: () => this.mineNext(),
    });
    this.toMine = [...scenario.blocks];
    this.faults = [...scenario.storeFaults];
    for (let mined = 0; mined < scenario.backlog; mined++) this.mineNext();
    this.fixture.chain.faults.push(...scenario.chainFaults);
  }

  private mineNext(): void {
    const transfers = this.toMine.shift();
    if (transfers !== undefined) this.fixture.chain.mine(transfers);
  }

  /** Until every block of the scenario is mined and recorded. */
  async run(): Promise<readonly BlocksRead['data'][]> {
    for (let replica = 0; replica < this.scenario.replicas; replica++) this.hire();
    await this.fixture.until(() => this.toMine.length === 0);
    // A transfer makes the watcher record all blocks before it immediately.
    this.fixture.chain.mine(1);
    await this.fixture.untilRecorded();
    // A replica that crashes now would never stop, so the work in flight gets one turn before.
    this.faults.length = 0;
    await new Promise((resolve) => setImmediate(resolve));
    await this.fixture.stop();
    return this.fixture.recorded();
  }

  private hire(): void {
    const { concurrency, storeEveryMs } = this.scenario;
    const store = new FaultyStore(this.fixture.store, () => {
      this.fixture.forget(watcher);
      this.hire();
    });
    // All replicas share one supply of faults, so that the faults end.
    store.faults.shift = () => this.faults.shift();
    const chainOfReplica: Chain = {
      addresses: this.fixture.chain.addresses,
      solidHead: () => (store.hasCrashed ? pendingForever() : this.fixture.chain.solidHead()),
      readBlock: (number) => (store.hasCrashed ? pendingForever() : this.fixture.chain.readBlock(number)),
    };
    const watcher = this.fixture.watcher({ concurrency, storeEveryMs }, chainOfReplica, store);
    watcher.start();
  }
}

const pendingForever = (): Promise<never> => new Promise(() => undefined);

async function check(scenario: Scenario): Promise<void> {
  const crew = new Crew(scenario);
  const blockRanges = await crew.run();
  const { all, transfers } = crew.fixture.chain;
  let next = 0;
  for (const { fromBlock, parentId, toBlock, toBlockId, toBlockTime } of blockRanges) {
    const [first, last] = [all[next]!, all[next + toBlock - fromBlock]!];
    expect([fromBlock, parentId]).toEqual([first.number, first.parentId]);
    expect([toBlock, toBlockId, toBlockTime]).toEqual([last.number, last.id, last.time]);
    next += toBlock - fromBlock + 1;
  }
  expect(next).toBe(all.length);
  expect(blockRanges.flatMap((blockRange) => blockRange.transfers)).toEqual(transfers);
}

describe('with any faults of the chain, the node, the store and the process', () => {
  it.each(randomFlowParts)(
    'every solidified block is recorded exactly once, in order, with all its transfers (part %i)',
    (part) => checkRandomFlows('Chain watchers', part, scenarios, check, { perChange: 60 }),
    randomFlowsTimeoutMs,
  );
});
