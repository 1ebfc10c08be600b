import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { startServerProcess } from '@florin/dev-platform';
import {
  simulatedAddress,
  simulatedContract,
  type TronSimulatorClient,
  tronSimulatorClient,
} from '@florin/tron-simulator';
import type { Bench, BenchContext, BenchRow } from '../bench';
import { median } from '../measure';
import { BareReader } from './bare-reader';
import { FlorinReader } from './florin-reader';

const totalBlocks = 10_000;
const rounds = 10;
const blocksPerRound = totalBlocks / rounds;
const transfersPerBlock = 200;
const concurrency = 8;

/** The simulated chain begins with an empty block 1. */
const startBlock = 2;
const address = simulatedAddress('treasury');
/** Two transfers of each block are to us. */
const recipients = [address, ...Array.from({ length: 99 }, (_, index) => simulatedAddress(`other ${index}`))];

interface Speed {
  readonly blocksPerSecond: number;
  /** CPU time of this process, without the node. More meaningful when the node is slower than its readers. */
  readonly cpuMsPerBlock: number;
}

type Round = Record<'florin' | 'bare', Speed>;

export const tronBench: Bench = {
  name: 'tron',
  title:
    `A TRON watcher that catches up with ${totalBlocks.toLocaleString('en-US')} blocks of ${transfersPerBlock} transfers, ` +
    'against fetching and parsing only',
  run: async (context) => {
    const node = await startServerProcess({ file: join(__dirname, 'simulator-server.js') });
    const { baseUrl: url } = node;
    const options = { url, contract: simulatedContract, address, startBlock, concurrency };
    const florin = new FlorinReader(await context.createDatabase(), options);
    const bare = new BareReader(url, concurrency);
    try {
      return rowsOf(await measureRounds(context, tronSimulatorClient(url), florin, bare));
    } finally {
      await Promise.all([florin.close(), bare.close()]);
      await node.stop();
    }
  },
};

/** Both read the same blocks, alternating which one is first. The first round is a warm-up. */
async function measureRounds(
  { progress }: BenchContext,
  simulator: TronSimulatorClient,
  florin: FlorinReader,
  bare: BareReader,
): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round <= rounds; round++) {
    const from = startBlock + round * blocksPerRound;
    const to = from + blocksPerRound - 1;
    await simulator.fill(blocksPerRound, { transfersPerBlock, recipients });
    const read = { florin: () => florin.readTo(to), bare: () => bare.read(from, to) };
    const speeds = round % 2 === 0 ? await inOrder(read, 'florin', 'bare') : await inOrder(read, 'bare', 'florin');
    const [watcher, reference] = [speeds.florin, speeds.bare].map((speed) => Math.round(speed.blocksPerSecond));
    progress(`watcher ${watcher} blocks/s, bare ${reference} blocks/s`);
    if (round > 0) measured.push(speeds);
  }
  return measured;
}

async function inOrder(
  read: Readonly<Record<keyof Round, () => Promise<void>>>,
  first: keyof Round,
  second: keyof Round,
): Promise<Round> {
  const speeds = { [first]: await speedOf(read[first]), [second]: await speedOf(read[second]) };
  return speeds as Round;
}

async function speedOf(read: () => Promise<void>): Promise<Speed> {
  const begin = performance.now();
  const cpuBefore = process.cpuUsage();
  await read();
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - begin) / 1_000;
  return { blocksPerSecond: blocksPerRound / seconds, cpuMsPerBlock: (user + system) / 1_000 / blocksPerRound };
}

function rowsOf(measured: readonly Round[]): BenchRow[] {
  const row = (what: string, name: keyof Round): BenchRow => {
    const medianOf = (figure: (round: Round) => number): number => median(measured.map(figure));
    const blocksPerSecond = medianOf((round) => round[name].blocksPerSecond);
    return {
      what,
      figures: {
        'blocks/s': blocksPerSecond,
        'transfers/s': blocksPerSecond * transfersPerBlock,
        'ratio to bare': medianOf((round) => round[name].blocksPerSecond / round.bare.blocksPerSecond),
        'CPU ms/block': medianOf((round) => round[name].cpuMsPerBlock),
      },
    };
  };
  return [row('bare fetch and parse', 'bare'), row('watcher', 'florin')];
}
