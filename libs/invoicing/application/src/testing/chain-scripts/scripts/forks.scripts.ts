import { transfer } from '@florin/tron-simulator';
import type { ChainScript } from '../chain-script';

const solidifyAfter = 5;

/** Only what is final counts; what was seen before that may never have happened. */
export const forks: readonly ChainScript[] = [
  {
    name: 'a payment in a block that is not final yet',
    world: { solidifyAfter },
    play: async (world) => {
      world.chain.pay(await world.invoice('a'));
      world.chain.mineEmpty(solidifyAfter - 1);
    },
    invoices: { a: 'pending' },
  },
  {
    name: 'a payment in a block that has just become final',
    world: { solidifyAfter },
    play: async (world) => {
      world.chain.pay(await world.invoice('a'));
      world.chain.mineEmpty(solidifyAfter);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the block of the payment is replaced before it is final',
    world: { solidifyAfter },
    play: async (world) => {
      world.chain.pay(await world.invoice('a'));
      world.chain.mineEmpty(2);
      world.chain.fork({ depth: 3 });
      world.chain.mineEmpty(10);
    },
    invoices: { a: 'pending' },
  },
  {
    name: 'the block of the payment is replaced, and the payment comes again in another',
    world: { solidifyAfter },
    play: async (world) => {
      const { transactions } = world.chain.pay(await world.invoice('a'));
      world.chain.mineEmpty(2);
      world.chain.fork({ depth: 3, blocks: [[], [], transactions, []] });
      world.chain.mineEmpty(10);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the block of a payment in time is replaced, and the payment comes again after the expiry',
    world: { solidifyAfter },
    play: async (world) => {
      const invoice = await world.invoice('a');
      world.setTime(invoice.expiresAt, -1_000);
      const { transactions } = world.chain.pay(invoice);
      world.chain.mine();
      world.chain.fork({ depth: 2, blocks: [[], transactions] });
      world.chain.mineEmpty(10);
    },
    invoices: { a: 'manual_review' },
  },
  {
    name: 'the payment is replaced by another one of the same amount',
    world: { solidifyAfter },
    play: async (world) => {
      const invoice = await world.invoice('a');
      world.chain.pay(invoice);
      world.chain.fork({ depth: 1, blocks: [[transfer(invoice)]] });
      world.chain.mineEmpty(10);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the payment is replaced by one that failed',
    world: { solidifyAfter },
    play: async (world) => {
      const { transactions } = world.chain.pay(await world.invoice('a'));
      const reverted = transactions.map((paid) => ({ ...paid, blockSays: 'REVERT', infoSays: 'REVERT' }) as const);
      world.chain.fork({ depth: 1, blocks: [reverted] });
      world.chain.mineEmpty(10);
    },
    invoices: { a: 'pending' },
  },
];
