import 'reflect-metadata';
import { checkRandomFlows, randomFlowsTimeoutMs } from '@florin/event-sourcing/testing';
import { ChainWorld } from './testing/chain-scripts/chain-world';
import { flawsOf, paidAt } from './testing/chain-scripts/expect-outcome';
import { ChainPlayer, expectedStatus, type RandomChain, randomChain } from './testing/chain-scripts/random-chain';

async function check({ world: options, steps }: RandomChain): Promise<void> {
  const world = await ChainWorld.open(options);
  try {
    await new ChainPlayer(world).play(steps);
    const log = await world.log();
    const invoices = [...world.invoices.values()];
    const statuses = invoices.map(({ name, id }) => [name, log.statusOf(id)]);
    const expected = invoices.map((invoice) => [invoice.name, expectedStatus(world, invoice, paidAt(world, invoice))]);
    expect({ flaws: flawsOf(world, log), statuses }).toEqual({ flaws: [], statuses: expected });
  } finally {
    await world.close();
  }
}

describe('for any chain, any trouble with its node and any crash', () => {
  it('each exact payment in time is credited once, nothing else is credited, and every deposit is recorded once', async () => {
    await checkRandomFlows('Chains', randomChain, check, { perChange: 60 });
  }, randomFlowsTimeoutMs);
});
