import { cpuMicroseconds } from '../cpu-time';
import { MeasuredProduct, totalMicroseconds } from '../cost/measured-product';
import type { Bench, BenchRow } from '../bench';
import { type BenchCompany, createCompanies } from '../http/bench-companies';
import { type Load, type LoadRequest, sendAll } from '../http/http-load';
import { startEmptyPost } from '../http/server-process';
import { median } from '../measure';
import { issueRequests } from '../operations/issue-requests';

const accounts = 100;
const connections = 64;
const bulkSize = 500;
/** Fewer, because each has hundreds of operations in progress. */
const bulkConnections = 2;

interface Contestant {
  readonly name: string;
  readonly operationsPerRequest: number;
  readonly load: Omit<Load, 'durationMs'>;
}

interface Round {
  readonly acceptedPerSecond: number;
  /** CPU time per operation: see `Accepting`. */
  readonly mainThreadMicroseconds: number;
  readonly acceptingMicroseconds: number;
  readonly completeMicroseconds: number;
}

/** The cost of an operation in a bulk request compared with the same operation alone. */
export const bulkBench: Bench = {
  name: 'bulk',
  title: `Operations (issue) alone and in bulk requests of ${bulkSize}, over ${accounts} accounts`,
  run: async (context) => {
    const product = await MeasuredProduct.start(context);
    const empty = await startEmptyPost();
    try {
      const companies = await createCompanies(product.process, accounts);
      const url = product.process.baseUrl;
      const contestants: readonly Contestant[] = [
        { name: 'alone', operationsPerRequest: 1, load: { url, connections, next: issueRequests(companies) } },
        ...[bulkSize, 50].map((size) => ({
          name: `in bulk requests of ${size}`,
          operationsPerRequest: size,
          load: { url, connections: bulkConnections, next: bulkRequests(companies, size) },
        })),
      ];
      const emptyMicroseconds: number[] = [];
      const rounds = new Map<Contestant, Round[]>(contestants.map((contestant) => [contestant, []]));
      for (let round = 0; round <= context.rounds; round++) {
        const emptyLoad = { ...contestants[0]!.load, url: empty.baseUrl, durationMs: context.durationMs };
        const before = cpuMicroseconds(empty.pid);
        const { requests } = await sendAll(emptyLoad);
        if (round > 0) emptyMicroseconds.push((cpuMicroseconds(empty.pid) - before) / requests);
        for (const contestant of contestants) {
          const measured = await measureRound(product, contestant, context.durationMs);
          context.progress(`round ${round} (0 is the warm-up), ${contestant.name}: ${describe(measured)}`);
          if (round > 0) rounds.get(contestant)!.push(measured);
        }
      }
      return rowsOf(contestants, rounds, emptyMicroseconds);
    } finally {
      await Promise.all([empty.stop(), product.stop()]);
    }
  },
};

/** First with the execution of operations paused, then with everything that follows. */
async function measureRound(product: MeasuredProduct, contestant: Contestant, durationMs: number): Promise<Round> {
  const { load, operationsPerRequest } = contestant;
  let result = { requests: 0, requestsPerSecond: 0 };
  const send = async (): Promise<void> => {
    result = await sendAll({ ...load, durationMs });
  };
  const accepting = await product.measureAccepting(send);
  const accepted = result.requests * operationsPerRequest;
  const mainThreadMicroseconds = accepting.mainThreadMicroseconds / accepted;
  const acceptingMicroseconds = accepting.allMicroseconds / accepted;
  const acceptedPerSecond = result.requestsPerSecond * operationsPerRequest;
  const complete = totalMicroseconds(await product.measure(send));
  const completeMicroseconds = complete / (result.requests * operationsPerRequest);
  return { acceptedPerSecond, mainThreadMicroseconds, acceptingMicroseconds, completeMicroseconds };
}

function rowsOf(
  contestants: readonly Contestant[],
  rounds: ReadonlyMap<Contestant, readonly Round[]>,
  emptyMicroseconds: readonly number[],
): BenchRow[] {
  const alone = rounds.get(contestants[0]!)!;
  const toAlone = (measured: readonly Round[], figure: keyof Round): number =>
    median(measured.map((round, index) => round[figure] / alone[index]![figure]));
  const rows = contestants.map((contestant) => {
    const measured = rounds.get(contestant)!;
    return {
      what: contestant.name,
      figures: {
        'accepted/s': median(measured.map((round) => round.acceptedPerSecond)),
        'to alone': toAlone(measured, 'acceptedPerSecond'),
        'main thread, µs': median(measured.map((round) => round.mainThreadMicroseconds)),
        'main thread to alone': toAlone(measured, 'mainThreadMicroseconds'),
        'accepting, CPU µs': median(measured.map((round) => round.acceptingMicroseconds)),
        'CPU to alone': toAlone(measured, 'acceptingMicroseconds'),
        'until completed, CPU µs': median(measured.map((round) => round.completeMicroseconds)),
      },
    };
  });
  return [{ what: 'empty POST', figures: { 'accepting, CPU µs': median(emptyMicroseconds) } }, ...rows];
}

function bulkRequests(companies: readonly BenchCompany[], size: number): (sequence: number) => LoadRequest {
  const run = `${Date.now().toString(36)}-${size}`;
  return (sequence) => {
    const { key, holderId } = companies[sequence % companies.length]!;
    const order = { type: 'issue', productId: 'virtual-usd', amount: '100.00', expectedTotal: '103.20', holderId };
    const operations = Array.from({ length: size }, (_, index) => {
      return { idempotencyKey: `${run}-${sequence}-${index}`, ...order };
    });
    return { path: '/api/v1/operations/bulk', key, body: JSON.stringify({ operations }) };
  };
}

function describe(round: Round): string {
  const { acceptedPerSecond, mainThreadMicroseconds, acceptingMicroseconds, completeMicroseconds } = round;
  const figures = [acceptedPerSecond, mainThreadMicroseconds, acceptingMicroseconds, completeMicroseconds];
  const [rate, main, accepting, complete] = figures.map(Math.round);
  return `${rate} accepted/s, main thread ${main} µs, all ${accepting} µs, until completed ${complete} µs`;
}
