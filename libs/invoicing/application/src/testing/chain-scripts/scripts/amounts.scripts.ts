import { simulatedAddress, transfer } from '@florin/tron-simulator';
import { manyTransfers } from '@florin/tron-simulator/testing';
import { parseUsdt } from '@florin/kernel';
import type { ChainScenario } from '../chain-scenario';
import { type ChainTestBed, type Payable, plus } from '../chain-test-bed';

/** Pays another amount than the invoice requires. */
function wrongAmount(name: string, amountFor: (payAmount: string) => string): ChainScenario {
  return {
    name,
    play: async (testBed) => {
      const { to, amount } = await testBed.invoice('a');
      testBed.chain.pay({ to, amount: amountFor(amount) });
    },
    invoices: { a: 'pending' },
    unmatched: ['amount_unknown, for review'],
  };
}

/** An invoice with another address of the pool than this one. */
async function invoiceElsewhere(testBed: ChainTestBed, address: string): Promise<Payable> {
  for (let number = 0; ; number++) {
    const invoice = await testBed.invoice(`elsewhere ${number}`, `company ${number}`);
    if (invoice.to !== address) return invoice;
    testBed.chain.pay(invoice);
  }
}

export const amounts: readonly ChainScenario[] = [
  wrongAmount('one millionth less', (amount) => plus(amount, -1n)),
  wrongAmount('one millionth more', (amount) => plus(amount, 1n)),
  wrongAmount('the amount without its millionths', () => '100.000000'),
  wrongAmount('a thousandth of it', (amount) => plus('0.000000', parseUsdt(amount) / 1_000n)),
  wrongAmount('one millionth', () => '0.000001'),
  wrongAmount('the amount and 2^64: nothing may be cut off', (amount) => plus(amount, 2n ** 64n)),
  wrongAmount('the amount and 2^128', (amount) => plus(amount, 2n ** 128n)),
  wrongAmount('the largest amount there is', () => plus('0.000000', 2n ** 256n - 1n)),
  {
    name: 'two halves',
    play: async (testBed) => {
      const { to, amount } = await testBed.invoice('a');
      const half = plus('0.000000', parseUsdt(amount) / 2n);
      testBed.chain.pay({ to, amount: half });
      testBed.chain.pay({ to, amount: plus(amount, -parseUsdt(half)) });
    },
    invoices: { a: 'pending' },
    unmatched: ['amount_unknown, for review', 'amount_unknown, for review'],
  },
  {
    name: 'two halves in one transaction',
    play: async (testBed) => {
      const { to, amount } = await testBed.invoice('a');
      const half = plus('0.000000', parseUsdt(amount) / 2n);
      testBed.chain.mine(
        manyTransfers([
          { to, amount: half },
          { to, amount: plus(amount, -parseUsdt(half)) },
        ]),
      );
    },
    invoices: { a: 'pending' },
    unmatched: ['amount_unknown, for review', 'amount_unknown, for review'],
  },
  {
    name: 'the exact amount twice',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.chain.pay(invoice);
      testBed.chain.pay(invoice);
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'the exact amount twice in one transaction',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.chain.mine(manyTransfers([invoice, invoice]));
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review'],
  },
  {
    name: 'the exact amount three times in one block',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.chain.mine(transfer(invoice), transfer(invoice), transfer(invoice));
    },
    invoices: { a: 'completed' },
    unmatched: ['paid_already, for review', 'paid_already, for review'],
  },
  {
    name: 'first a wrong amount, and then the right one',
    play: async (testBed) => {
      const { to, amount } = await testBed.invoice('a');
      testBed.chain.pay({ to, amount: plus(amount, -1n) });
      testBed.chain.pay({ to, amount });
    },
    invoices: { a: 'completed' },
    unmatched: ['amount_unknown, for review'],
  },
  {
    name: 'a deposit at an address that was never published',
    play: async (testBed) => {
      testBed.chain.pay({ to: testBed.addresses[0]!, amount: '100.000000' });
    },
    invoices: {},
    unmatched: ['amount_unknown, no review'],
  },
  {
    name: 'the amount at another address of the pool without open invoices',
    testBed: { addresses: 2 },
    play: async (testBed) => {
      const { to, amount } = await testBed.invoice('a');
      testBed.chain.pay({ to: testBed.addresses.find((address) => address !== to)!, amount });
    },
    invoices: { a: 'pending' },
    unmatched: ['amount_unknown, no review'],
  },
  {
    name: 'the amount at another address of the pool, where another invoice waits',
    testBed: { addresses: 2 },
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      const { to } = await invoiceElsewhere(testBed, invoice.to);
      testBed.chain.pay({ to, amount: invoice.amount });
    },
    invoices: { a: 'pending', 'elsewhere 0': 'pending' },
    unmatched: ['amount_unknown, for review'],
  },
  {
    name: 'two invoices at one address, each paid with the amount of the other',
    play: async (testBed) => {
      const [one, other] = [await testBed.invoice('a'), await testBed.invoice('b', 'bravo')];
      testBed.chain.pay({ ...other, from: simulatedAddress('wallet of acme') });
      testBed.chain.pay({ ...one, from: simulatedAddress('wallet of bravo') });
    },
    invoices: { a: 'completed', b: 'completed' },
  },
];
