import { until } from '@florin/kernel/testing';
import type { Fault } from '@florin/tron-simulator';
import type { ChainScript } from '../chain-script';
import { type ChainWorld, plus } from '../chain-world';

/** What happens to the node while the block of the payment is asked for. None of it may cost a payment, or make one. */
const troubles: Readonly<Record<string, readonly Fault[]>> = {
  '429 with a time to wait': [{ kind: 'status', status: 429, retryAfterSeconds: 3, times: 5 }],
  '429 without one': [{ kind: 'status', status: 429, times: 5 }],
  '500 and 503': [500, 503, 500, 502].map((status) => ({ kind: 'status', status }) as const),
  '404 and 403, as of a proxy': [404, 403].map((status) => ({ kind: 'status', status, times: 2 }) as const),
  'connections that break': [{ kind: 'drop', times: 4 }],
  'no answer at all': [{ kind: 'hang', times: 2 }],
  'slow answers': [{ kind: 'delay', ms: 20, times: 10 }],
  'half of the JSON of blocks': [{ kind: 'malformed', method: 'getblockbynum', times: 3 }],
  'half of the JSON of infos': [{ kind: 'malformed', method: 'gettransactioninfobyblocknum', times: 3 }],
  'half of the JSON of the newest block': [{ kind: 'malformed', method: 'getnowblock', times: 3 }],
  'another block than the one asked for': [{ kind: 'wrongBlock', method: 'getblockbynum', times: 4 }],
  'the infos of another block': [{ kind: 'wrongBlock', method: 'gettransactioninfobyblocknum', times: 4 }],
  'gaps: blocks that the node does not have': [{ kind: 'missing', method: 'getblockbynum', times: 4 }],
  'blocks whose infos are empty': [{ kind: 'missing', method: 'gettransactioninfobyblocknum', times: 4 }],
  'blocks of which some infos are missing': [{ kind: 'incomplete', times: 4 }],
  'no newest block': [{ kind: 'missing', method: 'getnowblock', times: 4 }],
  'everything at once': [
    { kind: 'drop', times: 2 },
    { kind: 'wrongBlock', times: 2 },
    { kind: 'malformed', times: 2 },
    { kind: 'incomplete', times: 2 },
    { kind: 'missing', times: 2 },
    { kind: 'status', status: 429, retryAfterSeconds: 1, times: 2 },
    { kind: 'hang' },
  ],
};

/** A payment, one that is almost a payment, and blocks without anything, all of them while the node is in trouble. */
async function playThrough(world: ChainWorld, faults: readonly Fault[]): Promise<void> {
  const invoice = await world.invoice('a');
  await world.settle();
  await world.replica().watcher.stop();
  world.chain.mineEmpty(2);
  world.chain.pay({ to: invoice.to, amount: plus(invoice.amount, -1n) });
  world.chain.pay(invoice);
  world.chain.mineEmpty(2);
  for (const fault of faults) world.chain.fault(fault);
  world.replica().watcher.start();
}

export const nodeFaults: readonly ChainScript[] = [
  ...Object.entries(troubles).map(([name, faults]): ChainScript => ({
    name,
    play: (world) => playThrough(world, faults),
    invoices: { a: 'completed' },
    unmatched: ['amount_unknown, for review'],
  })),
  {
    name: 'a node that throttles',
    play: async (world) => {
      world.chain.throttle(40);
      await playThrough(world, []);
      await until(() => world.chain.requestCount > 60);
      world.chain.heal();
    },
    invoices: { a: 'completed' },
    unmatched: ['amount_unknown, for review'],
  },
  {
    name: 'a node that is behind, and catches up',
    play: async (world) => {
      world.chain.lagBehind(50);
      world.chain.pay(await world.invoice('a'));
      world.chain.mineEmpty(55);
      await until(() => world.replica().status().cursorBlock === 7);
      world.chain.lagBehind(0);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a node that is behind what was read before, until it has caught up',
    play: async (world) => {
      const invoice = await world.invoice('a');
      world.chain.mineEmpty(20);
      await world.settle();
      world.chain.lagBehind(15);
      await world.crash();
      world.chain.pay(invoice);
      const asked = world.chain.requestCount;
      await until(() => world.chain.requestCount > asked + 10);
      world.chain.lagBehind(0);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'answers that overtake one another',
    play: async (world) => {
      const invoice = await world.invoice('a');
      await world.settle();
      await world.replica().watcher.stop();
      for (const block of [2, 4, 5, 7]) world.chain.fault({ kind: 'delay', ms: 30, block });
      world.chain.mineEmpty(3);
      world.chain.pay(invoice);
      world.chain.mineEmpty(10);
      world.replica().watcher.start();
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a jump of fifteen hundred blocks, many block ranges, with payments in two of them',
    play: async (world) => {
      const [one, other] = [await world.invoice('a'), await world.invoice('b', 'bravo')];
      await world.settle();
      await world.replica().watcher.stop();
      world.chain.mineEmpty(250);
      world.chain.pay(one);
      world.chain.mineEmpty(1_150);
      world.chain.pay(other);
      world.chain.mineEmpty(100);
      world.replica().watcher.start();
    },
    invoices: { a: 'completed', b: 'manual_review' },
  },
];
