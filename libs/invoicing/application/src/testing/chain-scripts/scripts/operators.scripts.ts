import type { CommandReply } from '@florin/event-sourcing';
import { assert } from '@florin/kernel';
import type { ChainScript } from '../chain-script';
import { type ChainWorld, type Payable, plus } from '../chain-world';

async function payLate(world: ChainWorld): Promise<Payable> {
  const invoice = await world.invoice('a');
  world.setTime(invoice.expiresAt, 1_000);
  world.chain.pay(invoice);
  await world.settle();
  return invoice;
}

async function payWrongly(world: ChainWorld): Promise<Payable> {
  const invoice = await world.invoice('a');
  world.chain.pay({ to: invoice.to, amount: plus(invoice.amount, -1n) });
  await world.settle();
  return invoice;
}

/** The operator takes the newest deposit that nobody asked for to be the payment. */
async function attributeNewest(world: ChainWorld): Promise<CommandReply<unknown>> {
  const newest = (await world.log()).unmatched().at(-1);
  assert(newest !== undefined, 'there is a deposit to decide about');
  return world.attribute('a', newest);
}

export const operators: readonly ChainScript[] = [
  {
    name: 'a late payment is accepted, twice',
    play: async (world) => {
      await payLate(world);
      expect(await world.resolve('a', 'completed')).toMatchObject({ ok: true });
      expect(await world.resolve('a', 'completed')).toMatchObject({ ok: true });
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a late payment is turned down, and then nobody can accept it any more',
    play: async (world) => {
      await payLate(world);
      expect(await world.resolve('a', 'failed')).toMatchObject({ ok: true });
      expect(await world.resolve('a', 'completed')).toMatchObject({ ok: false });
    },
    invoices: { a: 'failed' },
  },
  {
    name: 'a late payment is accepted, and comes once more',
    play: async (world) => {
      const invoice = await payLate(world);
      await world.resolve('a', 'completed');
      world.chain.pay(invoice);
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'a late payment is accepted while the process dies before the money is on the account',
    play: async (world) => {
      await payLate(world);
      world.crashAt({ category: 'account', when: 'before' });
      await expect(world.resolve('a', 'completed')).rejects.toThrow();
      world.decisions.set('a', 'completed');
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a wrong amount is found to be the payment',
    play: async (world) => {
      await payWrongly(world);
      expect(await attributeNewest(world)).toMatchObject({ ok: true });
    },
    invoices: { a: 'completed' },
    unmatched: ['amount_unknown, for review'],
  },
  {
    name: 'a wrong amount is found to be the payment, and then the right one comes in time',
    play: async (world) => {
      const invoice = await payWrongly(world);
      await attributeNewest(world);
      world.chain.pay(invoice);
    },
    invoices: { a: 'completed' },
    unmatched: ['amount_unknown, for review', 'invoice_closed, for review'],
  },
  {
    name: 'a second payment cannot pay the same invoice',
    play: async (world) => {
      const invoice = await world.invoice('a');
      world.chain.pay(invoice);
      world.chain.pay(invoice);
      await world.settle();
      expect(await attributeNewest(world)).toMatchObject({ ok: false });
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
];
