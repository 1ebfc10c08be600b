import {
  call,
  manyTransfers,
  nestedTransfer,
  simulatedAddress,
  simulatedContract,
  transfer,
  transferFrom,
  transferTopic,
} from '@florin/tron-simulator';
import type { ChainScript } from '../chain-script';

/** Whatever emits a Transfer of the one token to the address, of exactly the amount, is a payment. */
export const whatCounts: readonly ChainScript[] = [
  {
    name: 'a transfer of exactly the amount',
    play: async (world) => {
      world.chain.pay(await world.invoice('a'));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'transferFrom by a third party',
    play: async (world) => {
      world.chain.mine(transferFrom(await world.invoice('a')));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a transfer inside the call of another contract',
    play: async (world) => {
      world.chain.mine(nestedTransfer(await world.invoice('a')));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'two invoices of two companies, paid by one transaction',
    play: async (world) => {
      world.chain.mine(manyTransfers([await world.invoice('a'), await world.invoice('b', 'bravo')]));
    },
    invoices: { a: 'completed', b: 'completed' },
  },
  {
    name: 'two invoices of two companies, paid in one block',
    play: async (world) => {
      world.chain.mine(transfer(await world.invoice('a')), transfer(await world.invoice('b', 'bravo')));
    },
    invoices: { a: 'completed', b: 'completed' },
  },
  {
    name: 'a payment among two hundred transfers between strangers',
    play: async (world) => {
      const { to, amount } = await world.invoice('a');
      const strangers = Array.from({ length: 200 }, (_, index) => {
        return transfer({ to: simulatedAddress(`stranger ${index}`), amount });
      });
      world.chain.mine(...strangers.slice(0, 100), transfer({ to, amount }), ...strangers.slice(100));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a payment from one of our own addresses',
    play: async (world) => {
      const { to, amount } = await world.invoice('a');
      world.chain.pay({ to, amount, from: to });
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'one company pays what another was asked for: that invoice is paid, whoever sent it',
    play: async (world) => {
      const other = await world.invoice('a');
      await world.invoice('b', 'bravo');
      world.chain.pay({ ...other, from: simulatedAddress('wallet of bravo') });
    },
    invoices: { a: 'completed', b: 'pending' },
  },
  {
    name: 'an event of another token before ours in the same transaction',
    play: async (world) => {
      const { to, amount } = await world.invoice('a');
      const [fake] = transfer({ to, amount, contract: simulatedAddress('fake USDT') }).logs;
      const [real] = transfer({ to, amount }).logs;
      world.chain.mine(call(simulatedAddress('payer'), simulatedAddress('router'), '38ed1739', [fake!, real!]));
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'the next invoice of the same company, after the first was paid',
    play: async (world) => {
      world.chain.pay(await world.invoice('a'));
      await world.settle();
      world.chain.pay(await world.invoice('b'));
    },
    invoices: { a: 'completed', b: 'completed' },
  },
  {
    name: 'a Transfer event whose topic is written in the usual way, but by a call that says nothing of a transfer',
    play: async (world) => {
      const { to, amount } = await world.invoice('a');
      const [log] = transfer({ to, amount }).logs;
      expect(log?.topics[0]).toBe(transferTopic);
      world.chain.mine(call(simulatedAddress('payer'), simulatedContract, 'deadbeef', [log!]));
    },
    invoices: { a: 'completed' },
  },
];
