import 'reflect-metadata';
import { beforeFirst, type RecordedEvent } from '@florin/event-sourcing';
import { until } from '@florin/kernel/testing';
import { ChainLog } from './testing/chain-scripts/chain-log';
import { ChainWorld, type WorldOptions } from './testing/chain-scripts/chain-world';
import { expectOutcome, flawsOf } from './testing/chain-scripts/expect-outcome';
import { chainScripts } from './testing/chain-scripts/scripts';
import { unreadable } from './testing/chain-scripts/scripts/what-does-not-count.scripts';

jest.setTimeout(60_000);

async function inWorld(options: WorldOptions | undefined, play: (world: ChainWorld) => Promise<void>): Promise<void> {
  const world = await ChainWorld.open(options);
  try {
    await play(world);
  } finally {
    await world.close();
  }
}

/** From the node's HTTP API to the ledger: the simulator, tronweb, the watcher, invoicing and the ledger, all of them real. */
describe.each(Object.entries(chainScripts))('%s', (_about, scripts) => {
  it.each(scripts.map((script) => [script.name, script] as const))('%s', async (_name, script) => {
    await inWorld(script.world, async (world) => {
      await script.play(world);
      await world.settle();
      await expectOutcome(world, script);
    });
  });
});

describe('where the chain cannot be believed, nothing is read past it', () => {
  it.each(Object.entries(unreadable))('%s', async (_name, unreadableTransfer) => {
    await inWorld(undefined, async (world) => {
      const [one, other] = [await world.invoice('a'), await world.invoice('b', 'bravo')];
      await world.settle();
      world.chain.mine(unreadableTransfer(one));
      world.chain.pay(other);
      const asked = world.chain.requestCount;
      await until(() => world.chain.requestCount > asked + 20);
      expect(world.replica().status()).toMatchObject({ state: 'retrying', reason: expect.stringMatching(/./) });
      const log = await world.log();
      expect([log.credits(), log.deposits(), log.stretches().at(-1)?.toBlock]).toEqual([[], [], 1]);
    });
  });

  it('final blocks that have become others', async () => {
    await inWorld(undefined, async (world) => {
      const [one, other] = [await world.invoice('a'), await world.invoice('b', 'bravo')];
      world.chain.pay(one);
      await world.settle();
      const before = await world.log();
      world.chain.fork({ depth: 1, evenFinal: true });
      world.chain.pay(other);
      world.chain.pay(one);
      await until(() => world.replica().status().state === 'stopped');
      expect(world.replica().status().reason).toContain('another chain');
      const after = await world.log();
      expect(after.credits()).toEqual(before.credits());
      expect(after.deposits()).toHaveLength(1);
    });
  });
});

describe('the judge of all scripts', () => {
  type Events = readonly RecordedEvent[];
  const of = (events: Events, type: string): Events => events.filter((event) => event.type === type);
  const without = (events: Events, type: string): Events => events.filter((event) => event.type !== type);

  it.each<[string, (events: Events) => Events, string]>([
    ['a credit twice', (events) => [...events, ...of(events, 'FundsDeposited')], 'credited falsely or twice'],
    ['no credit', (events) => without(events, 'FundsDeposited'), 'paid in time and not credited'],
    ['a deposit twice', (events) => [...events, ...of(events, 'DepositMatched')], 'made up or recorded twice'],
    ['no deposit', (events) => without(events, 'DepositMatched'), 'never recorded'],
    ['a block twice', (events) => [...events, ...of(events, 'BlocksRead')], 'instead of'],
    ['no blocks', (events) => without(events, 'BlocksRead'), 'is final'],
  ])('sees %s', async (_name, falsify, flaw) => {
    await inWorld(undefined, async (world) => {
      world.chain.pay(await world.invoice('a'));
      await world.settle();
      const { events } = await world.store.readAll({ after: beforeFirst });
      expect(flawsOf(world, new ChainLog(events))).toEqual([]);
      expect(flawsOf(world, new ChainLog(falsify(events)))).toContainEqual(expect.stringContaining(flaw));
    });
  });
});

it('is a catalogue of different scripts', () => {
  const names = Object.values(chainScripts).flatMap((scripts) => scripts.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(40);
});
