import { checkRandomFlows, randomFlowsTimeoutMs, shuffled } from '@florin/event-sourcing/testing';
import { canonicalJson } from '@florin/kernel';
import { expectSound } from './testing/flow/flow-invariants';
import type { FlowLog } from './testing/flow/flow-log';
import { FlowWorld } from './testing/flow/flow-world';
import { type Asked, FlowPlayer, type RandomFlow, randomFlow, type Reply } from './testing/flow/random-flow';

afterEach(() => FlowWorld.closeAll());

/** Every acknowledged invoice and credit exists. */
function brokenPromises({ asked, acknowledged }: FlowPlayer, { invoices }: FlowLog): string[] {
  const told = asked.flatMap(({ command, reply }) => {
    if (reply?.ok !== true) return [];
    const { status, address, payAmount, depositAmount } = reply.answer;
    const { payment, terms } = invoices.get(command.data.invoiceId)!;
    const isHonest =
      status === (payment === undefined ? 'failed' : 'pending') &&
      address === (payment?.address ?? null) &&
      payAmount === (payment?.payAmount ?? null) &&
      depositAmount === terms.depositAmount;
    return isHonest ? [] : [`${command.data.invoiceId} was returned as ${JSON.stringify(reply.answer)}`];
  });
  const uncredited = acknowledged.filter((invoiceId) => invoices.get(invoiceId)?.phase !== 'completed');
  return [...told, ...uncredited.map((invoiceId) => `the credit of ${invoiceId} was acknowledged and is not there`)];
}

/** Repeats every accepted request: the replies are the same, and the log has no new events. */
async function harmfulRepeats(world: FlowWorld, asked: readonly Asked[]): Promise<string[]> {
  const before = await world.store.head();
  const granted = asked.filter(({ reply }) => reply?.ok);
  const again = granted.map(({ command }, index) => world.send<Reply>(command.data.accountId, command, index));
  await world.turns.grantAll();
  const replies = await Promise.all(again);
  const different = granted.filter(({ reply }, index) => {
    return canonicalJson({ ...reply, repeated: true }) !== canonicalJson(replies[index]);
  });
  const written = Number((await world.store.head()) - before);
  return [
    ...different.map(({ command }) => `a repeat returns something else: ${JSON.stringify(command)}`),
    ...(written === 0 ? [] : [`repeats wrote ${written} events`]),
  ];
}

async function check(flow: RandomFlow): Promise<void> {
  const world = new FlowWorld(flow.replicas, shuffled(flow.seed));
  try {
    const player = new FlowPlayer(world, flow);
    await player.play();
    await world.comeToRest();
    const log = await expectSound(world);
    const flaws = [...brokenPromises(player, log), ...(await harmfulRepeats(world, player.asked))];
    expect([...flaws, ...(await world.redeliverAll())]).toEqual([]);
  } finally {
    world.close();
  }
}

describe('for any interleaving of requests, redeliveries, payments, blocks, reviews, crashes and restarts', () => {
  it(
    'ends each invoice, credits it at most once and for a payment, and loses no deposit',
    async () => {
      await checkRandomFlows('Invoicing', randomFlow, check);
    },
    randomFlowsTimeoutMs,
  );
});
