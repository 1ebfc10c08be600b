import { call, simulatedAddress, simulatedContract, transfer, transferTopic } from '@florin/tron-simulator';
import { manyTransfers, nestedTransfer, transferFrom } from '@florin/tron-simulator/testing';
import type { ChainScenario } from '../chain-scenario';

/** Any Transfer log of the token to the address with the exact amount is a payment. */
export const acceptedTransfers: readonly ChainScenario[] = [
  {
    name: 'a transfer of exactly the amount',
    play: async (testBed) => {
      testBed.chain.pay(await testBed.invoice('a'));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'transferFrom by a third party',
    play: async (testBed) => {
      testBed.chain.mine(transferFrom(await testBed.invoice('a')));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a transfer inside the call of another contract',
    play: async (testBed) => {
      testBed.chain.mine(nestedTransfer(await testBed.invoice('a')));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'two invoices of two companies, paid by one transaction',
    play: async (testBed) => {
      testBed.chain.mine(manyTransfers([await testBed.invoice('a'), await testBed.invoice('b', 'bravo')]));
    },
    invoices: { a: 'completed', b: 'completed' },
  },
  {
    name: 'two invoices of two companies, paid in one block',
    play: async (testBed) => {
      testBed.chain.mine(transfer(await testBed.invoice('a')), transfer(await testBed.invoice('b', 'bravo')));
    },
    invoices: { a: 'completed', b: 'completed' },
  },
  {
    name: 'a payment among two hundred transfers between strangers',
    play: async (testBed) => {
      const { to, amount } = await testBed.invoice('a');
      const strangers = Array.from({ length: 200 }, (_, index) => {
        return transfer({ to: simulatedAddress(`stranger ${index}`), amount });
      });
      testBed.chain.mine(...strangers.slice(0, 100), transfer({ to, amount }), ...strangers.slice(100));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a payment from a treasury address',
    play: async (testBed) => {
      const { to, amount } = await testBed.invoice('a');
      testBed.chain.pay({ to, amount, from: to });
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a payment of an invoice by another company',
    play: async (testBed) => {
      const other = await testBed.invoice('a');
      await testBed.invoice('b', 'bravo');
      testBed.chain.pay({ ...other, from: simulatedAddress('wallet of bravo') });
    },
    invoices: { a: 'completed', b: 'pending' },
  },
  {
    name: 'an event of another token before ours in the same transaction',
    play: async (testBed) => {
      const { to, amount } = await testBed.invoice('a');
      const [fake] = transfer({ to, amount, contract: simulatedAddress('fake USDT') }).logs;
      const [real] = transfer({ to, amount }).logs;
      testBed.chain.mine(call(simulatedAddress('payer'), simulatedAddress('router'), '38ed1739', [fake!, real!]));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the next invoice of the same company, after the first was paid',
    play: async (testBed) => {
      testBed.chain.pay(await testBed.invoice('a'));
      await testBed.settle();
      testBed.chain.pay(await testBed.invoice('b'));
    },
    invoices: { a: 'completed', b: 'completed' },
  },
  {
    name: 'a Transfer event whose topic is written in the usual way, but by a call that says nothing of a transfer',
    play: async (testBed) => {
      const { to, amount } = await testBed.invoice('a');
      const [log] = transfer({ to, amount }).logs;
      expect(log?.topics[0]).toBe(transferTopic);
      testBed.chain.mine(call(simulatedAddress('payer'), simulatedContract, 'deadbeef', [log!]));
    },
    invoices: { a: 'completed' },
  },
];
