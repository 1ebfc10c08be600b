import { until } from '@florin/kernel/testing';
import type { Fault } from '@florin/tron-simulator';
import type { ChainScenario } from '../chain-scenario';
import { type ChainTestBed, plus } from '../chain-test-bed';

/** Node faults while the block of the payment is read. None of them may lose or invent a payment. */
const troubles: Readonly<Record<string, readonly Fault[]>> = {
  '429 with a time to wait': [{ kind: 'status', status: 429, retryAfterSeconds: 3, times: 5 }],
  '429 without one': [{ kind: 'status', status: 429, times: 5 }],
  '500 and 503': [500, 503, 500, 502].map((status) => ({ kind: 'status', status }) as const),
  '404 and 403, as of a proxy': [404, 403].map((status) => ({ kind: 'status', status, times: 2 }) as const),
  'connections that break': [{ kind: 'drop', times: 4 }],
  'no response': [{ kind: 'hang', times: 2 }],
  'slow responses': [{ kind: 'delay', ms: 20, times: 10 }],
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

/** A payment, a wrong amount, and empty blocks, all during node faults. */
async function playThrough(testBed: ChainTestBed, faults: readonly Fault[]): Promise<void> {
  const invoice = await testBed.invoice('a');
  await testBed.settle();
  await testBed.replica().watcher.stop();
  testBed.chain.mineEmpty(2);
  testBed.chain.pay({ to: invoice.to, amount: plus(invoice.amount, -1n) });
  testBed.chain.pay(invoice);
  testBed.chain.mineEmpty(2);
  for (const fault of faults) testBed.chain.fault(fault);
  testBed.replica().watcher.start();
}

export const nodeFaults: readonly ChainScenario[] = [
  ...Object.entries(troubles).map(([name, faults]): ChainScenario => ({
    name,
    testBed: faults.some(({ kind }) => kind === 'hang') ? { nodeTimeoutMs: 500 } : {},
    play: (testBed) => playThrough(testBed, faults),
    invoices: { a: 'completed' },
    unmatched: ['amount_unknown, for review'],
  })),
  {
    name: 'a node that throttles',
    play: async (testBed) => {
      testBed.chain.throttle(40);
      await playThrough(testBed, []);
      await until(() => testBed.chain.requestCount > 60);
      testBed.chain.heal();
    },
    invoices: { a: 'completed' },
    unmatched: ['amount_unknown, for review'],
  },
  {
    name: 'a node that is behind, and catches up',
    play: async (testBed) => {
      testBed.chain.lagBehind(50);
      testBed.chain.pay(await testBed.invoice('a'));
      testBed.chain.mineEmpty(55);
      await until(() => testBed.replica().status().cursorBlock === 7);
      testBed.chain.lagBehind(0);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a node that is behind what was read before, until it has caught up',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      testBed.chain.mineEmpty(20);
      await testBed.settle();
      testBed.chain.lagBehind(15);
      await testBed.crash();
      testBed.chain.pay(invoice);
      const asked = testBed.chain.requestCount;
      await until(() => testBed.chain.requestCount > asked + 10);
      testBed.chain.lagBehind(0);
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'responses out of order',
    play: async (testBed) => {
      const invoice = await testBed.invoice('a');
      await testBed.settle();
      await testBed.replica().watcher.stop();
      for (const block of [2, 4, 5, 7]) testBed.chain.fault({ kind: 'delay', ms: 30, block });
      testBed.chain.mineEmpty(3);
      testBed.chain.pay(invoice);
      testBed.chain.mineEmpty(10);
      testBed.replica().watcher.start();
    },
    invoices: { a: 'completed' },
  },
  {
    name: 'a jump of ten thousand blocks, with payments on the way',
    testBed: { withoutHttp: true },
    play: async (testBed) => {
      const [one, other] = [await testBed.invoice('a'), await testBed.invoice('b', 'bravo')];
      await testBed.settle();
      await testBed.replica().watcher.stop();
      testBed.chain.mineEmpty(600);
      testBed.chain.pay(one);
      testBed.chain.mineEmpty(9_000);
      testBed.chain.pay(other);
      testBed.chain.mineEmpty(400);
      testBed.replica().watcher.start();
    },
    invoices: { a: 'completed', b: 'manual_review' },
  },
];
