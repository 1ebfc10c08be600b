import { beforeFirst, type EventStore, noStream } from '@florin/event-sourcing';
import { EventStoreDbEventStore } from '@florin/event-store-eventstoredb';
import { PostgresEventStore } from '@florin/event-store-postgres';
import { randomId } from '@florin/kernel';
import { performance } from 'node:perf_hooks';
import type { AppendContestant } from '../appends/append-contestant';
import { florinAppends } from '../appends/florin-appends';
import type { BenchContext, BenchRow } from '../bench';
import { median, medians, unitsPerSecond } from '../measure';
import { sampleEvent } from '../sample-event';
import { BareClient } from './bare-client';
import { startBenchEventStore } from './bench-event-store';

const callerCounts = [1, 16, 128];
const eventsToRead = 100_000;
const eventsPerAppend = 500;
const systemEvents = 50_000;
const headReads = 200;

/** Appends of one event each: Florin's adapter, the bare client and Florin on Postgres. */
export async function appendRows(context: BenchContext): Promise<BenchRow[]> {
  const server = await startBenchEventStore();
  const contestants = {
    florin: florinAppends(new EventStoreDbEventStore(server.url)),
    bare: new BareClient(server.url),
    postgres: florinAppends(new PostgresEventStore(await context.createDatabase())),
  };
  try {
    const rows: BenchRow[] = [];
    for (const kind of ['manyStreams', 'hotStream'] as const) {
      for (const callers of callerCounts) {
        const runOf = (contestant: AppendContestant) => {
          const calls = contestant[kind](callers);
          return () => unitsPerSecond(calls, context.durationMs);
        };
        const { florin, bare, postgres } = await medians(
          { florin: runOf(contestants.florin), bare: runOf(contestants.bare), postgres: runOf(contestants.postgres) },
          context.rounds,
        );
        const what = `appends, ${kind === 'manyStreams' ? 'many streams' : 'one hot stream'}, callers: ${callers}`;
        context.progress(`${what}: ${Math.round(florin)} events/s, ${(florin / bare).toFixed(2)} of the bare client`);
        rows.push({ what, figures: figuresOf(florin, bare, postgres) });
      }
    }
    return rows;
  } finally {
    await Promise.all(Object.values(contestants).map((contestant) => contestant.close()));
    await server.stop();
  }
}

/** A subscription that catches up with the whole log. */
export async function catchUpRows(context: BenchContext): Promise<BenchRow[]> {
  const server = await startBenchEventStore();
  const stores = [
    new EventStoreDbEventStore(server.url),
    new PostgresEventStore(await context.createDatabase()),
  ] as const;
  const bareClient = new BareClient(server.url);
  try {
    context.progress(`writing ${eventsToRead} events to both stores`);
    for (const store of stores) await fill(store);
    const perSecond = async (read: () => Promise<unknown>): Promise<number> => {
      const begin = performance.now();
      await read();
      return eventsToRead / ((performance.now() - begin) / 1_000);
    };
    const { florin, bare, postgres } = await medians(
      {
        florin: () => perSecond(() => readToHead(stores[0])),
        bare: () => perSecond(() => bareClient.readAll()),
        postgres: () => perSecond(() => readToHead(stores[1])),
      },
      context.rounds,
    );
    return [{ what: `catching up with ${eventsToRead} events`, figures: figuresOf(florin, bare, postgres) }];
  } finally {
    await Promise.all([...stores, bareClient].map((each) => each.close()));
    await server.stop();
  }
}

/** The position of the newest event, which every read of the API needs. */
export async function headRows(context: BenchContext): Promise<BenchRow[]> {
  const server = await startBenchEventStore();
  const client = new BareClient(server.url);
  const running = new EventStoreDbEventStore(server.url);
  const controller = new AbortController();
  try {
    await running.append(`account-${randomId()}-sandbox`, noStream, [sampleEvent()]);
    // As in the product, where projections follow the log.
    const following = follow(running, controller.signal);
    const before = await headTimes(running);
    context.progress(`writing ${systemEvents} events of the server`);
    await client.writeSystemEvents(systemEvents);
    const after = await headTimes(running);
    controller.abort();
    await following;
    // As in the product, where Postgres has the checkpoints of all subscriptions.
    const furthest = await running.head();
    const started = new EventStoreDbEventStore(server.url, { furthestPosition: async () => furthest });
    const inNewProcess = await headTimes(started).finally(() => started.close());
    const rowOf = (what: string, { firstMs, medianMs }: Awaited<ReturnType<typeof headTimes>>): BenchRow => ({
      what: `newest event, ${what}`,
      figures: { 'first ms': firstMs, 'median ms': medianMs },
    });
    return [
      rowOf('no events of the server', before),
      rowOf(`after ${systemEvents} events of the server`, after),
      rowOf('the same, in a new process', inNewProcess),
    ];
  } finally {
    await Promise.all([running.close(), client.close()]);
    await server.stop();
  }
}

async function headTimes(store: EventStore): Promise<{ readonly firstMs: number; readonly medianMs: number }> {
  const times: number[] = [];
  for (let count = 0; count < headReads; count++) {
    const begin = performance.now();
    await store.head();
    times.push(performance.now() - begin);
  }
  return { firstMs: times[0]!, medianMs: median(times) };
}

async function follow(store: EventStore, signal: AbortSignal): Promise<void> {
  for await (const page of store.subscribe({ after: beforeFirst }, signal)) void page;
}

async function fill(store: EventStore): Promise<void> {
  for (let written = 0; written < eventsToRead; written += eventsPerAppend) {
    const events = Array.from({ length: eventsPerAppend }, sampleEvent);
    await store.append(`account-${randomId()}-sandbox`, noStream, events);
  }
}

async function readToHead(store: EventStore): Promise<void> {
  const head = await store.head();
  const controller = new AbortController();
  for await (const { readTo } of store.subscribe({ after: beforeFirst }, controller.signal)) {
    if (readTo >= head) controller.abort();
  }
}

function figuresOf(florin: number, bare: number, postgres: number): BenchRow['figures'] {
  return {
    ...{ 'events/s': florin, 'bare client': bare, 'ratio to bare': florin / bare },
    ...{ 'florin on Postgres': postgres, 'ratio to Postgres': florin / postgres },
  };
}
