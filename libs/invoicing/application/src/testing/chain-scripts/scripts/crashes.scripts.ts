import { transfer } from '@florin/tron-simulator';
import type { ChainScenario } from '../chain-scenario';
import type { CrashPoint } from '../crashing-store';

/** The categories in the order in which a payment is stored in them. */
const deaths = ['chain', 'address', 'invoices', 'account'].flatMap((category): CrashPoint[] => [
  { category, when: 'before' },
  { category, when: 'after' },
]);

export const crashes: readonly ChainScenario[] = [
  ...deaths.map((death): ChainScenario => ({
    name: `the process dies right ${death.when} what it has found out is stored in ${death.category}`,
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await testBed.settle();
      testBed.crashAt(death);
      testBed.chain.mine(transfer(invoice));
      await testBed.settle();
    },
    invoices: { a: 'completed' },
  })),
  ...deaths.map((death): ChainScenario => ({
    name: `of two processes one dies right ${death.when} it stores in ${death.category}`,
    testBed: { replicas: 2 },
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await testBed.settle();
      for (const place of [0, 1]) testBed.crashAt(death, place);
      testBed.chain.mine(transfer(invoice), transfer(invoice));
      await testBed.settle();
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  })),
  {
    name: 'the process dies between the expiry and what follows from it',
    play: async (testBed) => {
      const { expiresAt } = await testBed.invoice('a');
      await testBed.settle();
      testBed.crashAt({ category: 'address', when: 'after' });
      testBed.setTime(expiresAt);
      testBed.chain.mine();
    },
    invoices: { a: 'expired' },
  },
  {
    name: 'the process dies again and again',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      for (let times = 0; times < 5; times++) {
        testBed.chain.mineEmpty(3);
        await testBed.crash();
      }
      testBed.chain.pay(invoice);
      await testBed.crash();
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'two watchers at once',
    testBed: { replicas: 2 },
    play: async (testBed) => {
      const [one, other] = [await testBed.invoice('a'), await testBed.invoice('b', 'bravo')];
      for (const invoice of [one, other, one]) {
        testBed.chain.mineEmpty(3);
        testBed.chain.pay(invoice);
        await testBed.settle();
      }
    },
    invoices: { a: 'completed', b: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'two watchers that both have a long way to catch up',
    testBed: { replicas: 2 },
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      for (const place of [0, 1]) await testBed.replica(place).watcher.stop();
      testBed.chain.mineEmpty(350);
      testBed.chain.pay(invoice);
      testBed.chain.mineEmpty(350);
      for (const place of [0, 1]) testBed.replica(place).watcher.start();
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the same blocks are settled twice',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.chain.mine(transfer(invoice), transfer(invoice));
      await testBed.settle();
      for (const { transfers, toBlockTime } of (await testBed.log()).blockRanges()) {
        await testBed.request('chain', { type: 'SettleBlocks', data: { transfers, toBlockTime } });
      }
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'blocks on both sides of the border between two segments of the log',
    testBed: { firstBlock: 99_990 },
    play: async (testBed) => {
      const [one, other] = [await testBed.invoice('a'), await testBed.invoice('b', 'bravo')];
      testBed.chain.mineEmpty(8);
      testBed.chain.pay(one);
      testBed.chain.pay(other);
      testBed.chain.mineEmpty(3);
      await testBed.settle();
      await testBed.crash();
      testBed.chain.pay(one);
    },
    invoices: { a: 'completed', b: 'completed' },
    unmatched: ['paid_already, for review'],
  },
];
