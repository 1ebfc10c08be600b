import { transfer } from '@florin/tron-simulator';
import type { ChainScenario } from '../chain-scenario';

const solidifyAfter = 5;

/** Only final blocks count; earlier ones may be replaced. */
export const forks: readonly ChainScenario[] = [
  {
    name: 'a payment in a block that is not final yet',
    testBed: { solidifyAfter },
    play: async (testBed) => {
      testBed.chain.pay(await testBed.invoice('a'));
      testBed.chain.mineEmpty(solidifyAfter - 1);
    },
    invoices: { a: 'pending' },
  },
  {
    name: 'a payment in a block that has just become final',
    testBed: { solidifyAfter },
    play: async (testBed) => {
      testBed.chain.pay(await testBed.invoice('a'));
      testBed.chain.mineEmpty(solidifyAfter);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the block of the payment is replaced before it is final',
    testBed: { solidifyAfter },
    play: async (testBed) => {
      testBed.chain.pay(await testBed.invoice('a'));
      testBed.chain.mineEmpty(2);
      testBed.chain.fork({ depth: 3 });
      testBed.chain.mineEmpty(10);
    },
    invoices: { a: 'pending' },
  },
  {
    name: 'the block of the payment is replaced, and the payment comes again in another',
    testBed: { solidifyAfter },
    play: async (testBed) => {
      const { transactions } = testBed.chain.pay(await testBed.invoice('a'));
      testBed.chain.mineEmpty(2);
      testBed.chain.fork({ depth: 3, blocks: [[], [], transactions, []] });
      testBed.chain.mineEmpty(10);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the block of a payment in time is replaced, and the payment comes again after the expiry',
    testBed: { solidifyAfter },
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.setTime(invoice.expiresAt, -1_000);
      const { transactions } = testBed.chain.pay(invoice);
      testBed.chain.mine();
      testBed.chain.fork({ depth: 2, blocks: [[], transactions] });
      testBed.chain.mineEmpty(10);
    },
    invoices: { a: 'manual_review' },
  },
  {
    name: 'the payment is replaced by another one of the same amount',
    testBed: { solidifyAfter },
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.chain.pay(invoice);
      testBed.chain.fork({ depth: 1, blocks: [[transfer(invoice)]] });
      testBed.chain.mineEmpty(10);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the payment is replaced by one that failed',
    testBed: { solidifyAfter },
    play: async (testBed) => {
      const { transactions } = testBed.chain.pay(await testBed.invoice('a'));
      const reverted = transactions.map(
        (paid) => ({ ...paid, blockOutcome: 'REVERT', infoOutcome: 'REVERT' }) as const,
      );
      testBed.chain.fork({ depth: 1, blocks: [reverted] });
      testBed.chain.mineEmpty(10);
    },
    invoices: { a: 'pending' },
  },
];
