import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { simulatedAddress, simulatedContract, TronSimulatorClient } from '@florin/tron-simulator';
import type { Bench, BenchContext, BenchRow } from '../bench';
import { startServer } from '../http/server-process';
import { median } from '../measure';
import { BareReading } from './bare-reading';
import { FlorinReading } from './florin-reading';

const blocksInAll = 10_000;
const turns = 10;
const blocksPerTurn = blocksInAll / turns;
const transfersPerBlock = 200;
const concurrency = 8;

/** The simulated chain begins with an empty block 1. */
const startBlock = 2;
const address = simulatedAddress('treasury');
/** Two transfers of each block are to us. */
const recipients = [address, ...Array.from({ length: 99 }, (_, index) => simulatedAddress(`stranger ${index}`))];

interface Speed {
  readonly blocksPerSecond: number;
  /** Of this process. The node has its own, and where it is slower than its readers this tells more about them. */
  readonly cpuMsPerBlock: number;
}

type Turn = Record<'florin' | 'bare', Speed>;

export const tronBench: Bench = {
  name: 'tron',
  title:
    `A TRON watcher that catches up with ${blocksInAll.toLocaleString('en-US')} blocks of ${transfersPerBlock} transfers, ` +
    'against merely fetching and parsing them',
  run: async (context) => {
    const node = await startServer(join(__dirname, 'simulator-server.js'), {});
    const { baseUrl: url } = node;
    const options = { url, contract: simulatedContract, address, startBlock, concurrency };
    const florin = new FlorinReading(await context.createDatabase(), options);
    const bare = new BareReading(url, concurrency);
    try {
      return rowsOf(await takeTurns(context, new TronSimulatorClient(url), florin, bare));
    } finally {
      await Promise.all([florin.close(), bare.close()]);
      await node.stop();
    }
  },
};

/** Both read the same blocks right after one another, now the one first and now the other. A first turn only warms up. */
async function takeTurns(
  { progress }: BenchContext,
  simulator: TronSimulatorClient,
  florin: FlorinReading,
  bare: BareReading,
): Promise<Turn[]> {
  const measured: Turn[] = [];
  for (let turn = 0; turn <= turns; turn++) {
    const from = startBlock + turn * blocksPerTurn;
    const to = from + blocksPerTurn - 1;
    await simulator.fill(blocksPerTurn, { transfersPerBlock, recipients });
    const read = { florin: () => florin.readTo(to), bare: () => bare.read(from, to) };
    const speeds = turn % 2 === 0 ? await inOrder(read, 'florin', 'bare') : await inOrder(read, 'bare', 'florin');
    const [watcher, reference] = [speeds.florin, speeds.bare].map((speed) => Math.round(speed.blocksPerSecond));
    progress(`watcher ${watcher} blocks/s, bare ${reference} blocks/s`);
    if (turn > 0) measured.push(speeds);
  }
  return measured;
}

async function inOrder(
  read: Readonly<Record<keyof Turn, () => Promise<void>>>,
  first: keyof Turn,
  second: keyof Turn,
): Promise<Turn> {
  const speeds = { [first]: await speedOf(read[first]), [second]: await speedOf(read[second]) };
  return speeds as Turn;
}

async function speedOf(read: () => Promise<void>): Promise<Speed> {
  const begin = performance.now();
  const cpuBefore = process.cpuUsage();
  await read();
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - begin) / 1_000;
  return { blocksPerSecond: blocksPerTurn / seconds, cpuMsPerBlock: (user + system) / 1_000 / blocksPerTurn };
}

function rowsOf(measured: readonly Turn[]): BenchRow[] {
  const row = (what: string, name: keyof Turn): BenchRow => {
    const medianOf = (figure: (turn: Turn) => number): number => median(measured.map(figure));
    const blocksPerSecond = medianOf((turn) => turn[name].blocksPerSecond);
    return {
      what,
      figures: {
        'blocks/s': blocksPerSecond,
        'transfers/s': blocksPerSecond * transfersPerBlock,
        'ratio to bare': medianOf((turn) => turn[name].blocksPerSecond / turn.bare.blocksPerSecond),
        'CPU ms/block': medianOf((turn) => turn[name].cpuMsPerBlock),
      },
    };
  };
  return [row('bare fetch and parse', 'bare'), row('watcher', 'florin')];
}
