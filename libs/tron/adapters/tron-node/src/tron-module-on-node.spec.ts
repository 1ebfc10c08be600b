import 'reflect-metadata';
import { beforeFirst, CLOCK, EVENT_STORE } from '@florin/event-sourcing';
import { Follower, InMemoryEventStore, noBackoff } from '@florin/event-sourcing/testing';
import { systemClock } from '@florin/kernel';
import { CHAIN, TronModule, TronWatcher } from '@florin/tron-application';
import type { BlocksRead } from '@florin/tron-domain';
import { simulatedAddress, simulatedContract, transfer, TronSimulator } from '@florin/tron-simulator';
import { Test, type TestingModule } from '@nestjs/testing';
import { TronNodeChain } from './tron-node-chain.adapter';

const address = simulatedAddress('us');
const quiet = (): void => undefined;

describe('TronModule on a node', () => {
  let simulator: TronSimulator;
  let chain: TronNodeChain;
  let store: InMemoryEventStore;
  let follower: Follower;
  let app: TestingModule;

  beforeEach(async () => {
    simulator = await TronSimulator.start({ firstBlock: 99_990, solidifyAfter: 2 });
    chain = new TronNodeChain({ url: simulator.url, contract: simulatedContract, addresses: [address] });
    store = new InMemoryEventStore();
    follower = new Follower(store, { after: beforeFirst });
    app = await startApplication();
  });
  afterEach(async () => {
    await app.close();
    await follower.stop();
    await chain.close();
    await simulator.stop();
  });

  async function startApplication(): Promise<TestingModule> {
    const ports = [
      { provide: EVENT_STORE, useValue: store },
      { provide: CLOCK, useValue: systemClock },
      { provide: CHAIN, useValue: chain },
    ];
    const platform = { module: class TestPlatform {}, global: true, providers: ports, exports: ports };
    const tron = TronModule.forRoot({
      startBlock: 99_991,
      contract: simulatedContract,
      pollMs: 5,
      storeEveryMs: 20,
      blocksPerSecond: 1_000,
      backoff: noBackoff,
      log: { info: quiet, warn: quiet, error: quiet },
    });
    const started = await Test.createTestingModule({ imports: [platform, tron] }).compile();
    return started.init();
  }

  const blockRanges = (): BlocksRead['data'][] =>
    follower.events.flatMap(({ type, data }) =>
      type === 'BlocksRead' ? [JSON.parse(data) as BlocksRead['data']] : [],
    );

  const untilReadTo = (block: number): Promise<void> =>
    follower.until(() => (blockRanges().at(-1)?.toBlock ?? 0) >= block);

  it('records solidified transfers across the end of a segment', async () => {
    for (let amount = 1n; amount <= 20n; amount++) simulator.mine(transfer({ to: address, amount }));
    await untilReadTo(100_008);
    const amounts = () => blockRanges().flatMap(({ transfers }) => transfers.map(({ amount }) => amount));
    const first18 = Array.from({ length: 18 }, (_, index) => `0.${`${index + 1}`.padStart(6, '0')}`);
    expect(amounts()).toEqual(first18);
    simulator.solidify();
    await untilReadTo(100_010);
    expect(amounts()).toEqual([...first18, '0.000019', '0.000020']);
  });

  it('skips no block after a restart and faults of the node', async () => {
    simulator.mineEmpty(5);
    simulator.solidify();
    await untilReadTo(99_995);
    await app.close();
    for (const kind of ['drop', 'malformed', 'missing', 'incomplete', 'wrongBlock'] as const) simulator.fault({ kind });
    for (let amount = 1n; amount <= 10n; amount++) simulator.mine(transfer({ to: address, amount }));
    simulator.solidify();
    app = await startApplication();
    await untilReadTo(100_005);
    const recorded = blockRanges();
    expect(recorded.flatMap(({ transfers }) => transfers)).toHaveLength(10);
    recorded.forEach(({ fromBlock, parentId }, index) => {
      const before = recorded[index - 1];
      if (before) expect([fromBlock, parentId]).toEqual([before.toBlock + 1, before.toBlockId]);
    });
    expect(app.get(TronWatcher).status()).toMatchObject({ headBlock: 100_005 });
  });
});
