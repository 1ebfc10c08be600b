import 'reflect-metadata';
import { beforeFirst, type RecordedEvent } from '@florin/event-sourcing';
import { until } from '@florin/kernel/testing';
import { ChainLog } from './testing/chain-scripts/chain-log';
import { ChainTestBed, type TestBedOptions } from './testing/chain-scripts/chain-test-bed';
import { expectOutcome, violationsOf } from './testing/chain-scripts/expect-outcome';
import { chainScenarios } from './testing/chain-scripts/scripts';
import { unreadable } from './testing/chain-scripts/scripts/ignored-transfers.scripts';

jest.setTimeout(60_000);

async function withTestBed(
  options: TestBedOptions | undefined,
  play: (testBed: ChainTestBed) => Promise<void>,
): Promise<void> {
  const testBed = await ChainTestBed.open(options);
  try {
    await play(testBed);
  } finally {
    await testBed.close();
  }
}

/** Runs the real watcher, invoicing and ledger against a simulated node. */
describe.each(Object.entries(chainScenarios))('%s', (_about, scripts) => {
  it.each(scripts.map((script) => [script.name, script] as const))('%s', async (_name, script) => {
    await withTestBed(script.testBed, async (testBed) => {
      await script.play(testBed);
      await testBed.settle();
      await expectOutcome(testBed, script);
    });
  });
});

describe('stops at a block that cannot be trusted', () => {
  it.each(Object.entries(unreadable))('%s', async (_name, unreadableTransfer) => {
    await withTestBed(undefined, async (testBed) => {
      const [one, other] = [await testBed.invoice('a'), await testBed.invoice('b', 'bravo')];
      await testBed.settle();
      testBed.chain.mine(unreadableTransfer(one));
      testBed.chain.pay(other);
      const before = testBed.chain.requestCount;
      await until(() => testBed.chain.requestCount > before + 20);
      expect(testBed.replica().status()).toMatchObject({ state: 'retrying', reason: expect.stringMatching(/./) });
      const log = await testBed.log();
      expect([log.credits(), log.deposits(), log.blockRanges().at(-1)?.toBlock]).toEqual([[], [], 1]);
    });
  });

  it('final blocks that were replaced', async () => {
    await withTestBed(undefined, async (testBed) => {
      const [one, other] = [await testBed.invoice('a'), await testBed.invoice('b', 'bravo')];
      testBed.chain.pay(one);
      await testBed.settle();
      const before = await testBed.log();
      testBed.chain.fork({ depth: 1, evenFinal: true });
      testBed.chain.pay(other);
      testBed.chain.pay(one);
      await until(() => testBed.replica().status().state === 'stopped');
      expect(testBed.replica().status().reason).toContain('another chain');
      const after = await testBed.log();
      expect(after.credits()).toEqual(before.credits());
      expect(after.deposits()).toHaveLength(1);
    });
  });
});

describe('violationsOf', () => {
  type Events = readonly RecordedEvent[];
  const of = (events: Events, type: string): Events => events.filter((event) => event.type === type);
  const without = (events: Events, type: string): Events => events.filter((event) => event.type !== type);

  it.each<[string, (events: Events) => Events, string]>([
    ['a credit twice', (events) => [...events, ...of(events, 'FundsDeposited')], 'credited wrongly or twice'],
    ['no credit', (events) => without(events, 'FundsDeposited'), 'paid in time and not credited'],
    ['a deposit twice', (events) => [...events, ...of(events, 'DepositMatched')], 'invented or recorded twice'],
    ['no deposit', (events) => without(events, 'DepositMatched'), 'never recorded'],
    ['a block twice', (events) => [...events, ...of(events, 'BlocksRead')], 'instead of'],
    ['no blocks', (events) => without(events, 'BlocksRead'), 'is final'],
  ])('detects %s', async (_name, falsify, flaw) => {
    await withTestBed(undefined, async (testBed) => {
      testBed.chain.pay(await testBed.invoice('a'));
      await testBed.settle();
      const { events } = await testBed.store.readAll({ after: beforeFirst });
      expect(violationsOf(testBed, new ChainLog(events))).toEqual([]);
      expect(violationsOf(testBed, new ChainLog(falsify(events)))).toContainEqual(expect.stringContaining(flaw));
    });
  });
});

it('contains at least 40 different scenarios', () => {
  const names = Object.values(chainScenarios).flatMap((scripts) => scripts.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(40);
});
