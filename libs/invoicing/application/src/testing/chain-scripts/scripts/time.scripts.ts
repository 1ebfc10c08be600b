import type { ChainScript } from '../chain-script';
import type { ChainWorld, Payable } from '../chain-world';

const day = 86_400_000;
const minute = 60_000;

/** Paid in a block of this time, counted from when the invoice expires. */
function paidAt(name: string, offsetMs: number, status: 'completed' | 'manual_review'): ChainScript {
  return {
    name,
    play: async (world) => {
      const invoice = await world.invoice('a');
      payLater(world, invoice, offsetMs);
      world.chain.mineEmpty(2);
    },
    invoices: { a: status },
  };
}

function payLater(world: ChainWorld, invoice: Payable, offsetMs: number): void {
  world.setTime(invoice.expiresAt, offsetMs);
  world.chain.pay(invoice);
}

/** All blocks up to the expiry are read, and there is no payment in them. */
async function expire(world: ChainWorld, { expiresAt }: Payable): Promise<void> {
  world.setTime(expiresAt);
  world.chain.mine();
  await world.settle();
}

export const times: readonly ChainScript[] = [
  paidAt('one second before it expires', -1_000, 'completed'),
  paidAt('one millisecond before it expires', -1, 'completed'),
  paidAt('at the very moment at which it expires', 0, 'manual_review'),
  paidAt('one second after it has expired, in the first block after that', 1_000, 'manual_review'),
  paidAt('three days after it has expired, after a long silence', 3 * day, 'manual_review'),
  {
    name: 'never paid',
    play: async (world) => expire(world, await world.invoice('a')),
    invoices: { a: 'expired' },
  },
  {
    name: 'its time is over, but the chain has not come so far',
    play: async (world) => {
      const { expiresAt } = await world.invoice('a');
      world.setTime(expiresAt, -1);
      world.chain.mine();
      world.clock.advance(day);
    },
    invoices: { a: 'pending' },
  },
  {
    name: 'paid after everybody was told that it has expired',
    play: async (world) => {
      const invoice = await world.invoice('a');
      await expire(world, invoice);
      payLater(world, invoice, minute);
    },
    invoices: { a: 'manual_review' },
  },
  {
    name: 'paid late, twice',
    play: async (world) => {
      const invoice = await world.invoice('a');
      await expire(world, invoice);
      payLater(world, invoice, minute);
      world.chain.pay(invoice);
    },
    invoices: { a: 'manual_review' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'paid in time, and once more after it has expired',
    play: async (world) => {
      const invoice = await world.invoice('a');
      world.chain.pay(invoice);
      payLater(world, invoice, minute);
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'an expired one is paid late while the next one is pending',
    play: async (world) => {
      const invoice = await world.invoice('a');
      await expire(world, invoice);
      await world.invoice('b');
      payLater(world, invoice, minute);
    },
    invoices: { a: 'manual_review', b: 'pending' },
  },
  {
    name: 'an expired one is paid late, and then the next one in time',
    play: async (world) => {
      const invoice = await world.invoice('a');
      await expire(world, invoice);
      const next = await world.invoice('b');
      payLater(world, invoice, minute);
      world.chain.pay(next);
    },
    invoices: { a: 'manual_review', b: 'completed' },
  },
  {
    name: 'paid on the last day of the watch',
    play: async (world) => {
      const invoice = await world.invoice('a');
      await expire(world, invoice);
      payLater(world, invoice, 7 * day - 1_000);
    },
    invoices: { a: 'manual_review' },
  },
  {
    name: 'paid when nobody watches any more',
    play: async (world) => {
      const invoice = await world.invoice('a');
      world.setTime(invoice.expiresAt, 7 * day + 1_000);
      world.chain.mine();
      await world.settle();
      world.chain.pay(invoice);
    },
    invoices: { a: 'expired' },
    unmatched: ['amount_unknown, nobody is told'],
  },
  {
    name: 'the amount arrived long before it was asked for, and is read only now',
    play: async (world) => {
      world.clock.advance(11 * minute);
      world.chain.pay(await world.invoice('a'));
    },
    invoices: { a: 'pending' },
    unmatched: ['amount_unknown, for review'],
  },
  {
    name: 'the watcher is down across the expiry, and the payment was in time',
    play: async (world) => {
      const invoice = await world.invoice('a');
      await world.replica().watcher.stop();
      payLater(world, invoice, -1_000);
      world.setTime(invoice.expiresAt, 2 * day);
      world.chain.mine();
      world.replica().watcher.start();
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the watcher is down across the expiry, and the payment was late',
    play: async (world) => {
      const invoice = await world.invoice('a');
      await world.replica().watcher.stop();
      payLater(world, invoice, 1_000);
      world.setTime(invoice.expiresAt, 2 * day);
      world.chain.mine();
      world.replica().watcher.start();
    },
    invoices: { a: 'manual_review' },
  },
  {
    name: 'paid in time, but final only long after the expiry',
    world: { solidifyAfter: 3 },
    play: async (world) => {
      const invoice = await world.invoice('a');
      payLater(world, invoice, -1_000);
      world.setTime(invoice.expiresAt, minute);
      world.chain.mineEmpty(2);
      await world.settle();
      world.chain.mineEmpty(5);
    },
    invoices: { a: 'completed' },
  },
];
