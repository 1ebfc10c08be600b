import 'reflect-metadata';
import { checkRandomFlows, randomFlowParts, randomFlowsTimeoutMs } from '@florin/event-sourcing/testing';
import { ChainTestBed } from './testing/chain-scripts/chain-test-bed';
import { violationsOf, paidAt } from './testing/chain-scripts/expect-outcome';
import { ChainPlayer, expectedStatus, type RandomChain, randomChain } from './testing/chain-scripts/random-chain';

async function check({ testBed: options, steps }: RandomChain): Promise<void> {
  const testBed = await ChainTestBed.open(options);
  try {
    await new ChainPlayer(testBed).play(steps);
    const log = await testBed.log();
    const invoices = [...testBed.invoices.values()];
    const statuses = invoices.map(({ name, id }) => [name, log.statusOf(id)]);
    const expected = invoices.map((invoice) => [
      invoice.name,
      expectedStatus(testBed, invoice, paidAt(testBed, invoice)),
    ]);
    expect({ flaws: violationsOf(testBed, log), statuses }).toEqual({ flaws: [], statuses: expected });
  } finally {
    await testBed.close();
  }
}

describe('for any chain, any node fault and any crash', () => {
  it.each(randomFlowParts)(
    'credits each exact payment in time once, credits nothing else, and records every deposit once (part %i)',
    (part) => checkRandomFlows('Chains', part, randomChain, check, { perChange: 60 }),
    randomFlowsTimeoutMs,
  );
});
