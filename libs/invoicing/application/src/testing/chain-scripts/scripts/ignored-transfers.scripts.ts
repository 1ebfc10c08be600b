import {
  type EventLog,
  simulatedAddress,
  transfer,
  type SimTransaction,
  type TransferTerms,
} from '@florin/tron-simulator';
import { approval, failed, nestedTransfer, reshaped, transferFrom, trc10, trx } from '@florin/tron-simulator/testing';
import type { ChainScenario } from '../chain-scenario';

/** Transactions that resemble a payment of the exact amount but are not even a deposit. */
const counterfeits: Readonly<Record<string, (terms: TransferTerms) => SimTransaction>> = {
  'a token that only calls itself USDT': (terms) => transfer({ ...terms, contract: simulatedAddress('fake USDT') }),
  'a fake token inside a contract call': (terms) => nestedTransfer({ ...terms, contract: simulatedAddress('fake') }),
  'the chain’s own coin, TRX': trx,
  'a TRC-10 token': trc10,
  'a transfer of nothing, to poison the history': ({ to }) => transfer({ to, amount: 0n }),
  'a transferFrom of zero, which needs no approval': ({ to }) => transferFrom({ to, amount: 0n }),
  'a transaction that was reverted, and yet carries the log': (terms) => failed(transfer(terms)),
  'a transaction that ran out of energy, and yet carries the log': (terms) => failed(transfer(terms), 'OUT_OF_ENERGY'),
  'a contract call that failed, and yet carries the log': (terms) => failed(nestedTransfer(terms), 'OUT_OF_TIME'),
  'a transaction that failed by its info only': (terms) => failed(transfer(terms), 'REVERT', 'info'),
  'a transaction that failed by its block only': (terms) => failed(transfer(terms), 'REVERT', 'block'),
  'an approval, which has the shape of a transfer': approval,
  'a transfer to another address': ({ amount }) => transfer({ to: simulatedAddress('stranger'), amount }),
  'a transfer from a treasury address to another address': ({ to, amount }) =>
    transfer({ to: simulatedAddress('x'), amount, from: to }),
  'an event with another topic': altered((log) => ({ ...log, topics: ['0'.repeat(64), ...log.topics.slice(1)] })),
  'a Transfer without topics': altered((log) => ({ ...log, topics: [] })),
};

export const ignoredTransfers: readonly ChainScenario[] = Object.entries(counterfeits).map(([name, counterfeit]) => ({
  name,
  play: async (testBed) => {
    testBed.chain.mine(counterfeit(await testBed.invoice('a')));
  },
  invoices: { a: 'pending' },
}));

/**
 * Logs that the token never emits, which may be incomplete payments: the chain is not read past such a block until a node
 * returns it complete.
 */
export const unreadable: Readonly<Record<string, (terms: TransferTerms) => SimTransaction>> = {
  'a Transfer with four topics, as tokens of another kind have': altered((log) => {
    return { ...log, topics: [...log.topics, log.data], data: '' };
  }),
  'a Transfer with two topics': altered((log) => ({ ...log, topics: log.topics.slice(0, 2) })),
  'a Transfer with an amount cut short': altered((log) => ({ ...log, data: log.data.slice(2) })),
  'a Transfer with more than an amount': altered((log) => ({ ...log, data: `${log.data}00` })),
  'a Transfer without an amount': altered((log) => ({ ...log, data: '' })),
};

function altered(reshape: (log: EventLog) => EventLog): (terms: TransferTerms) => SimTransaction {
  return (terms) => reshaped(transfer(terms), reshape);
}
