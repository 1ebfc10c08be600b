import type { ChainScenario } from '../chain-scenario';
import type { ChainTestBed, Payable } from '../chain-test-bed';

const day = 86_400_000;
const minute = 60_000;

/** Paid in a block of this time, relative to the expiry. */
function paidAt(name: string, offsetMs: number, status: 'completed' | 'manual_review'): ChainScenario {
  return {
    name,
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      payLater(testBed, invoice, offsetMs);
      testBed.chain.mineEmpty(2);
    },
    invoices: { a: status },
  };
}

function payLater(testBed: ChainTestBed, invoice: Payable, offsetMs: number): void {
  testBed.setTime(invoice.expiresAt, offsetMs);
  testBed.chain.pay(invoice);
}

/** Reads all blocks up to the expiry, without a payment. */
async function expire(testBed: ChainTestBed, { expiresAt }: Payable): Promise<void> {
  testBed.setTime(expiresAt);
  testBed.chain.mine();
  await testBed.settle();
}

export const timeScenarios: readonly ChainScenario[] = [
  paidAt('one second before it expires', -1_000, 'completed'),
  paidAt('one millisecond before it expires', -1, 'completed'),
  paidAt('exactly at its expiry', 0, 'manual_review'),
  paidAt('one second after its expiry, in the next block', 1_000, 'manual_review'),
  paidAt('three days after its expiry, after a gap between blocks', 3 * day, 'manual_review'),
  {
    name: 'never paid',
    play: async (testBed) => expire(testBed, await testBed.invoice('a')),
    invoices: { a: 'expired' },
  },
  {
    name: 'expired by the system clock, but not by block times',
    play: async (testBed) => {
      const { expiresAt } = await testBed.invoice('a');
      testBed.setTime(expiresAt, -1);
      testBed.chain.mine();
      testBed.clock.advance(day);
    },
    invoices: { a: 'pending' },
  },
  {
    name: 'paid after the expiry was published',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await expire(testBed, invoice);
      payLater(testBed, invoice, minute);
    },
    invoices: { a: 'manual_review' },
  },
  {
    name: 'paid late, twice',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await expire(testBed, invoice);
      payLater(testBed, invoice, minute);
      testBed.chain.pay(invoice);
    },
    invoices: { a: 'manual_review' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'paid in time, and once more after it has expired',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.chain.pay(invoice);
      payLater(testBed, invoice, minute);
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'an expired one is paid late while the next one is pending',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await expire(testBed, invoice);
      await testBed.invoice('b');
      payLater(testBed, invoice, minute);
    },
    invoices: { a: 'manual_review', b: 'pending' },
  },
  {
    name: 'an expired one is paid late, and then the next one in time',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await expire(testBed, invoice);
      const next = await testBed.invoice('b');
      payLater(testBed, invoice, minute);
      testBed.chain.pay(next);
    },
    invoices: { a: 'manual_review', b: 'completed' },
  },
  {
    name: 'paid on the last day of the watch period',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await expire(testBed, invoice);
      payLater(testBed, invoice, 7 * day - 1_000);
    },
    invoices: { a: 'manual_review' },
  },
  {
    name: 'paid after the watch period',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.setTime(invoice.expiresAt, 7 * day + 1_000);
      testBed.chain.mine();
      await testBed.settle();
      testBed.chain.pay(invoice);
    },
    invoices: { a: 'expired' },
    unmatched: ['amount_unknown, no review'],
  },
  {
    name: 'the amount was paid long before the request and is read only now',
    play: async (testBed) => {
      testBed.clock.advance(11 * minute);
      testBed.chain.pay(await testBed.invoice('a'));
    },
    invoices: { a: 'pending' },
    unmatched: ['amount_unknown, for review'],
  },
  {
    name: 'the watcher is down across the expiry, and the payment was in time',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await testBed.replica().watcher.stop();
      payLater(testBed, invoice, -1_000);
      testBed.setTime(invoice.expiresAt, 2 * day);
      testBed.chain.mine();
      testBed.replica().watcher.start();
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the watcher is down across the expiry, and the payment was late',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await testBed.replica().watcher.stop();
      payLater(testBed, invoice, 1_000);
      testBed.setTime(invoice.expiresAt, 2 * day);
      testBed.chain.mine();
      testBed.replica().watcher.start();
    },
    invoices: { a: 'manual_review' },
  },
  {
    name: 'paid in time, but final only long after the expiry',
    testBed: { solidifyAfter: 3 },
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      payLater(testBed, invoice, -1_000);
      testBed.setTime(invoice.expiresAt, minute);
      testBed.chain.mineEmpty(2);
      await testBed.settle();
      testBed.chain.mineEmpty(5);
    },
    invoices: { a: 'completed' },
  },
];
