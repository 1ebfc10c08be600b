import type { DatabaseConnection } from '@florin/database';
import { beforeFirst } from '@florin/event-sourcing';
import { EventPacker, PostgresEventStore } from '@florin/event-store-postgres';
import { Client } from 'pg';
import type { Bench, BenchContext, BenchRow } from '../bench';
import { medians } from '../measure';
import { sampleEvent } from '../sample-event';

const eventCount = 300_000;
const pageSize = 5_000;
const categories = ['account', 'operation', 'invoice', 'webhook'];

export const catchUpBench: Bench = {
  name: 'catch-up',
  title: `A subscription that catches up with ${eventCount.toLocaleString('en-US')} events, events/s`,
  run: async (context) => {
    const connection = await context.createDatabase();
    context.progress(`writing ${eventCount} events …`);
    await fill(connection);
    const store = new PostgresEventStore(connection);
    const client = new Client({ ...connection });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return [
        await measure(context, store, client, 'everything', undefined),
        await measure(context, store, client, 'one category of four', [categories[0]!]),
      ];
    } finally {
      await client.end();
      await store.close();
    }
  },
};

async function fill(connection: DatabaseConnection): Promise<void> {
  const client = new Client({ ...connection });
  await client.connect();
  const event = sampleEvent();
  const packed = new EventPacker().pack('', event);
  await client.query(
    `INSERT INTO event_store.events (position, stream, revision, id, type, packed)
     SELECT n, ($2::text[])[1 + n % 4] || '-' || md5((n / 40)::text) || '-' || n % 4, n / 4 % 10, gen_random_uuid(), $3, $4
     FROM generate_series(1, $1::integer) AS n`,
    [eventCount, categories, event.type, packed],
  );
  await client.query('VACUUM ANALYZE event_store.events');
  await client.end();
}

async function measure(
  { rounds, progress }: BenchContext,
  store: PostgresEventStore,
  client: Client,
  what: string,
  only: readonly string[] | undefined,
): Promise<BenchRow> {
  const { florin, bare } = await medians(
    {
      florin: () => eventsPerSecond(() => subscribeUntilHead(store, only)),
      bare: () => eventsPerSecond(() => selectPageByPage(client, only)),
    },
    rounds,
  );
  progress(`${what}: ${Math.round(florin)} events/s`);
  return { what, figures: { florin, 'bare select': bare, 'ratio to bare': florin / bare } };
}

/** Counts all events, matching or not: a subscription has to read past every one of them. */
async function eventsPerSecond(read: () => Promise<void>): Promise<number> {
  const begin = process.hrtime.bigint();
  await read();
  return eventCount / (Number(process.hrtime.bigint() - begin) / 1e9);
}

async function subscribeUntilHead(store: PostgresEventStore, only: readonly string[] | undefined): Promise<void> {
  const controller = new AbortController();
  const query = { after: beforeFirst, categories: only, pageSize };
  for await (const { readTo } of store.subscribe(query, controller.signal)) {
    if (readTo === BigInt(eventCount)) controller.abort();
  }
}

async function selectPageByPage(client: Client, only: readonly string[] | undefined): Promise<void> {
  for (let after = 0; after < eventCount; after += pageSize) {
    await client.query({
      name: `bare-page${only ? '-filtered' : ''}`,
      text: `SELECT position, stream, revision, id, type, packed FROM event_store.events
             WHERE position > $1 AND position <= $2 ${only ? `AND split_part(stream, '-', 1) = ANY ($3)` : ''} ORDER BY position`,
      values: [after, after + pageSize, ...(only ? [only] : [])],
      rowMode: 'array',
    });
  }
}
