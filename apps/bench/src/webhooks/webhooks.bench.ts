import { startServerProcess } from '@florin/dev-platform';
import { join } from 'node:path';
import type { Bench, BenchRow } from '../bench';
import { median } from '../measure';
import { barePosts } from './bare-posts';
import { bodyOf, perEndpoint } from './fill-queue';
import { FlorinDeliveries } from './florin-deliveries';

const endpoints = 50;
const hanging = endpoints / 10;
const concurrency = 256;

interface Round {
  readonly bare: number;
  readonly florin: number;
  readonly florinWithHanging: number;
}

/**
 * Signed deliveries, claimed from and acknowledged in Postgres, against posts of the same bodies to the same server with
 * undici alone. With every tenth endpoint hanging, the deliveries to the other endpoints count.
 */
export const webhooksBench: Bench = {
  name: 'webhooks',
  title: `Webhooks of ${endpoints} endpoints to a fast receiver (deliveries/s), against a bare undici loop`,
  run: async ({ createDatabase, rounds, progress }) => {
    const receiver = await startServerProcess({ file: join(__dirname, 'receiver-server.js') });
    const florin = new FlorinDeliveries(await createDatabase(), receiver.baseUrl);
    const bodies = Array.from({ length: endpoints * perEndpoint }, (_, index) => bodyOf(index));
    const measured: Round[] = [];
    try {
      // The first round is a warm-up. Single ratios differ by a third, so the median needs many rounds.
      for (let round = 0; round <= rounds * 3; round++) {
        const result = {
          bare: await barePosts(receiver.baseUrl, bodies, concurrency),
          florin: await florin.perSecond({ healthy: endpoints, hanging: 0 }),
          florinWithHanging: await florin.perSecond({ healthy: endpoints - hanging, hanging }),
        };
        progress(
          Object.entries(result)
            .map(([name, rate]) => `${name} ${Math.round(rate)}/s`)
            .join(', '),
        );
        if (round > 0) measured.push(result);
      }
    } finally {
      await florin.close();
      await receiver.stop();
    }
    return rowsOf(measured);
  },
};

function rowsOf(rounds: readonly Round[]): BenchRow[] {
  const of = (figure: (round: Round) => number): number => median(rounds.map(figure));
  return [
    { what: 'bare undici loop', figures: { 'deliveries/s': of(({ bare }) => bare) } },
    {
      what: 'florin',
      figures: { 'deliveries/s': of(({ florin }) => florin), 'ratio to bare': of(({ florin, bare }) => florin / bare) },
    },
    {
      what: `florin, every tenth endpoint hangs`,
      figures: {
        'deliveries/s': of(({ florinWithHanging }) => florinWithHanging),
        'ratio to bare': of(({ florinWithHanging, bare }) => florinWithHanging / bare),
        'ratio to none hanging': of(({ florinWithHanging, florin }) => florinWithHanging / florin),
      },
    },
  ];
}
