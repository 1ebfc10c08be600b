import { copyRows, type DatabaseConnection } from '@florin/database';
import type { EventToAppend } from '@florin/event-sourcing';
import { randomId } from '@florin/kernel';
import { Client } from 'pg';
import type { Caller } from '../measure';
import { sampleEvent } from '../sample-event';
import { type AppendContestant, streamsPerCaller } from './append-contestant';
import { BinaryRows } from './binary-rows';

const maxBatch = 256;

interface Waiting extends EventToAppend {
  readonly stream: string;
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The upper limit for durable inserts of this size from many callers: binary COPY into a table with only a primary key,
 * batches of all waiting rows, two batches at a time. No order, no revisions, no conflicts, no notifications.
 */
class BareInserter {
  private readonly idle: Client[];
  private readonly rows = new BinaryRows();
  private waiting: Waiting[] = [];
  private position = 0n;
  private flushScheduled = false;

  constructor(private readonly clients: readonly Client[]) {
    this.idle = [...clients];
  }

  insert(stream: string, revision: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...sampleEvent(), stream, revision, resolve, reject });
      if (this.flushScheduled) return;
      this.flushScheduled = true;
      setImmediate(() => {
        this.flushScheduled = false;
        this.flush();
      });
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.end()));
  }

  private flush(): void {
    while (this.waiting.length > 0 && this.idle.length > 0) void this.write(this.idle.pop()!);
  }

  private async write(client: Client): Promise<void> {
    const batch = this.waiting.splice(0, maxBatch);
    try {
      this.encode(batch);
      await copyRows(client, 'COPY bare_events FROM STDIN (FORMAT binary)', this.rows.encoded());
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.idle.push(client);
    this.flush();
  }

  private encode(batch: readonly Waiting[]): void {
    const { rows } = this;
    rows.clear();
    for (const { stream, revision, id, type, data, metadata } of batch) {
      this.position += 1n;
      rows.beginRow(7);
      rows.addBigint(this.position);
      rows.addText(stream);
      rows.addInteger(revision);
      rows.addUuid(id);
      rows.addText(type);
      rows.addText(data);
      rows.addText(metadata);
    }
  }
}

export async function bareBatchedInsert(connection: DatabaseConnection): Promise<AppendContestant> {
  const clients = [new Client({ ...connection }), new Client({ ...connection })];
  for (const client of clients) {
    client.on('error', () => undefined);
    await client.connect();
  }
  await clients[0]!.query(
    `CREATE TABLE bare_events (position bigint PRIMARY KEY, stream text COLLATE "C" NOT NULL, revision integer NOT NULL,
      id uuid NOT NULL, type text COLLATE "C" NOT NULL, data text NOT NULL, metadata text NOT NULL)`,
  );
  const inserter = new BareInserter(clients);
  const callers = (count: number, streamOf: () => readonly string[]): Caller[] =>
    Array.from({ length: count }, () => {
      const streams = streamOf();
      let inserted = 0;
      return () => inserter.insert(streams[++inserted % streams.length]!, inserted);
    });
  const newStream = (): string => `account-${randomId()}-sandbox`;
  return {
    manyStreams: (count) => callers(count, () => Array.from({ length: streamsPerCaller }, newStream)),
    hotStream: (count) => {
      const stream = [newStream()];
      return callers(count, () => stream);
    },
    close: () => inserter.close(),
  };
}
