import { PostgresEventStore } from '@florin/event-store-postgres';
import type { Bench, BenchContext, BenchRow } from '../bench';
import { medians, unitsPerSecond } from '../measure';
import type { AppendContestant } from './append-contestant';
import { bareBatchedInsert } from './bare-batched-insert';
import { emmettAppends } from './emmett-appends';
import { florinAppends } from './florin-appends';

const callerCounts = [1, 16, 128];

export const appendsBench: Bench = {
  name: 'appends',
  title: 'Durable appends of one event each, events/s',
  run: async (context) => {
    // Separate databases on the same server: no contestant pays for what another one has written.
    const contestants = {
      florin: florinAppends(new PostgresEventStore(await context.createDatabase())),
      bare: await bareBatchedInsert(await context.createDatabase()),
      emmett: await emmettAppends(await context.createDatabase()),
    };
    const rows: BenchRow[] = [];
    try {
      for (const kind of ['manyStreams', 'hotStream'] as const) {
        for (const callers of callerCounts) rows.push(await measure(context, contestants, kind, callers));
      }
    } finally {
      await Promise.all(Object.values(contestants).map((contestant) => contestant.close()));
    }
    return rows;
  },
};

async function measure(
  { durationMs, rounds, progress }: BenchContext,
  contestants: Record<'florin' | 'bare' | 'emmett', AppendContestant>,
  kind: 'manyStreams' | 'hotStream',
  callers: number,
): Promise<BenchRow> {
  const what = `${kind === 'manyStreams' ? 'many streams' : 'one hot stream'}, ${callers} ${callers === 1 ? 'caller' : 'callers'}`;
  const runOf = (contestant: AppendContestant) => {
    const calls = contestant[kind](callers);
    return () => unitsPerSecond(calls, durationMs);
  };
  progress(`${what} …`);
  const { florin, bare, emmett } = await medians(
    { florin: runOf(contestants.florin), bare: runOf(contestants.bare), emmett: runOf(contestants.emmett) },
    rounds,
  );
  progress(`${what}: ${Math.round(florin)} events/s`);
  return {
    what,
    figures: {
      florin,
      'bare insert': bare,
      'ratio to bare': florin / bare,
      emmett,
      'ratio to emmett': florin / emmett,
    },
  };
}
