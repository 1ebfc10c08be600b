import type { CommandReply } from '@florin/event-sourcing';
import { assert } from '@florin/kernel';
import type { ChainScenario } from '../chain-scenario';
import { type ChainTestBed, type Payable, plus } from '../chain-test-bed';

async function payLate(testBed: ChainTestBed): Promise<Payable> {
  const invoice = await testBed.invoice('a');
  testBed.setTime(invoice.expiresAt, 1_000);
  testBed.chain.pay(invoice);
  await testBed.settle();
  return invoice;
}

async function payWrongly(testBed: ChainTestBed): Promise<Payable> {
  const invoice = await testBed.invoice('a');
  testBed.chain.pay({ to: invoice.to, amount: plus(invoice.amount, -1n) });
  await testBed.settle();
  return invoice;
}

/** The operator attributes the newest unmatched deposit. */
async function attributeNewest(testBed: ChainTestBed): Promise<CommandReply<unknown>> {
  const newest = (await testBed.log()).unmatched().at(-1);
  assert(newest !== undefined, 'there is an unmatched deposit');
  return testBed.attribute('a', newest);
}

export const operators: readonly ChainScenario[] = [
  {
    name: 'a late payment is accepted, twice',
    play: async (testBed) => {
      await payLate(testBed);
      expect(await testBed.resolve('a', 'completed')).toMatchObject({ ok: true });
      expect(await testBed.resolve('a', 'completed')).toMatchObject({ ok: true });
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a late payment is rejected and cannot be accepted afterwards',
    play: async (testBed) => {
      await payLate(testBed);
      expect(await testBed.resolve('a', 'failed')).toMatchObject({ ok: true });
      expect(await testBed.resolve('a', 'completed')).toMatchObject({ ok: false });
    },
    invoices: { a: 'failed' },
  },
  {
    name: 'a late payment is accepted, and comes once more',
    play: async (testBed) => {
      const invoice = await payLate(testBed);
      await testBed.resolve('a', 'completed');
      testBed.chain.pay(invoice);
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'a late payment is accepted while the process dies before the money is on the account',
    play: async (testBed) => {
      await payLate(testBed);
      testBed.crashAt({ category: 'account', when: 'before' });
      await expect(testBed.resolve('a', 'completed')).rejects.toThrow();
      testBed.decisions.set('a', 'completed');
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a wrong amount is found to be the payment',
    play: async (testBed) => {
      await payWrongly(testBed);
      expect(await attributeNewest(testBed)).toMatchObject({ ok: true });
    },
    invoices: { a: 'completed' },
    unmatched: ['amount_unknown, for review'],
  },
  {
    name: 'a wrong amount is found to be the payment, and then the right one comes in time',
    play: async (testBed) => {
      const invoice = await payWrongly(testBed);
      await attributeNewest(testBed);
      testBed.chain.pay(invoice);
    },
    invoices: { a: 'completed' },
    unmatched: ['amount_unknown, for review', 'invoice_closed, for review'],
  },
  {
    name: 'a second payment cannot pay the same invoice',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.chain.pay(invoice);
      testBed.chain.pay(invoice);
      await testBed.settle();
      expect(await attributeNewest(testBed)).toMatchObject({ ok: false });
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
];
