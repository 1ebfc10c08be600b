import { transfer } from '@florin/tron-simulator';
import type { ChainScript } from '../chain-script';
import type { Death } from '../mortal-store';

/** The streams in the order in which a payment passes through them. */
const deaths = ['chain', 'address', 'invoices', 'account'].flatMap((category): Death[] => [
  { category, when: 'before' },
  { category, when: 'after' },
]);

export const crashes: readonly ChainScript[] = [
  ...deaths.map((death): ChainScript => ({
    name: `the process dies right ${death.when} what it has found out is stored in ${death.category}`,
    play: async (world) => {
      const invoice = await world.invoice('a');
      await world.settle();
      world.crashAt(death);
      world.chain.mine(transfer(invoice));
      await world.settle();
    },
    invoices: { a: 'completed' },
  })),
  ...deaths.map((death): ChainScript => ({
    name: `of two processes one dies right ${death.when} it stores in ${death.category}`,
    world: { replicas: 2 },
    play: async (world) => {
      const invoice = await world.invoice('a');
      await world.settle();
      for (const place of [0, 1]) world.crashAt(death, place);
      world.chain.mine(transfer(invoice), transfer(invoice));
      await world.settle();
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  })),
  {
    name: 'the process dies between the expiry and what follows from it',
    play: async (world) => {
      const { expiresAt } = await world.invoice('a');
      await world.settle();
      world.crashAt({ category: 'address', when: 'after' });
      world.setTime(expiresAt);
      world.chain.mine();
    },
    invoices: { a: 'expired' },
  },
  {
    name: 'the process dies again and again',
    play: async (world) => {
      const invoice = await world.invoice('a');
      for (let times = 0; times < 5; times++) {
        world.chain.mineEmpty(3);
        await world.crash();
      }
      world.chain.pay(invoice);
      await world.crash();
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'two watchers at once',
    world: { replicas: 2 },
    play: async (world) => {
      const [one, other] = [await world.invoice('a'), await world.invoice('b', 'bravo')];
      for (const invoice of [one, other, one]) {
        world.chain.mineEmpty(3);
        world.chain.pay(invoice);
        await world.settle();
      }
    },
    invoices: { a: 'completed', b: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'two watchers that both have a long way to catch up',
    world: { replicas: 2 },
    play: async (world) => {
      const invoice = await world.invoice('a');
      for (const place of [0, 1]) await world.replica(place).watcher.stop();
      world.chain.mineEmpty(350);
      world.chain.pay(invoice);
      world.chain.mineEmpty(350);
      for (const place of [0, 1]) world.replica(place).watcher.start();
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the same blocks are told twice',
    play: async (world) => {
      const invoice = await world.invoice('a');
      world.chain.mine(transfer(invoice), transfer(invoice));
      await world.settle();
      for (const { transfers, toBlockTime } of (await world.log()).stretches()) {
        await world.request('chain', { type: 'SettleBlocks', data: { transfers, toBlockTime } });
      }
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'blocks on both sides of the border between two eras of the log',
    world: { firstBlock: 99_990 },
    play: async (world) => {
      const [one, other] = [await world.invoice('a'), await world.invoice('b', 'bravo')];
      world.chain.mineEmpty(8);
      world.chain.pay(one);
      world.chain.pay(other);
      world.chain.mineEmpty(3);
      await world.settle();
      await world.crash();
      world.chain.pay(one);
    },
    invoices: { a: 'completed', b: 'completed' },
    unmatched: ['paid_already, for review'],
  },
];
