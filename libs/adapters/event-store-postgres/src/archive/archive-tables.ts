import type { Position, RecordedEvent } from '@florin/event-sourcing';
import { DatabaseError, type PoolClient } from 'pg';
import type { EventTexts } from '../packing/pack-event';
import { contentColumns, unpackContents } from '../packing/stored-contents';
import { EventUnpacker, UnknownPacking } from '../packing/unpack-event';
import type { EncodedArchive } from './archive-file';

/** The events of one stream that are not archived yet, in order. */
export interface LiveStream {
  readonly stream: string;
  readonly events: readonly RecordedEvent[];
}

export interface ClosingEvent {
  readonly position: Position;
  readonly stream: string;
}

type EventRow = Record<'position' | 'stream' | 'id' | 'type' | 'data', string> & {
  readonly revision: number;
  readonly metadata: string | null;
};

/** Two runs at once would make each other fail. */
const runLock = '7017280452245743465';

const notRecorded = 'FL005';

/** The server has rejected the file: it is not recorded, and no event was deleted. */
export function isRejected(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === notRecorded;
}

/** The statements of one run, on one connection. */
export class ArchiveTables {
  private readonly unpacker = new EventUnpacker();

  constructor(private readonly client: PoolClient) {}

  /** Whether this is the only run. The lock ends with the connection. */
  async lock(): Promise<boolean> {
    const { rows } = await this.client.query<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${runLock}) AS locked`);
    return rows[0]!.locked;
  }

  async unlock(): Promise<void> {
    await this.client.query(`SELECT pg_advisory_unlock(${runLock})`);
  }

  /** How far the log may be archived now. */
  async limit(): Promise<Position> {
    const { rows } = await this.client.query<{ to: string }>('SELECT event_store.archivable_to()::text AS to');
    return BigInt(rows[0]!.to);
  }

  /** The subscription that has processed least of the log. */
  async slowestSubscription(): Promise<string | undefined> {
    const { rows } = await this.client.query<{ subscription: string }>(
      `SELECT s.subscription FROM event_store.subscription_shards AS s
       WHERE s.subscription NOT LIKE 'checkpoint-sink-%' ORDER BY s.position LIMIT 1`,
    );
    return rows[0]?.subscription;
  }

  async storeId(): Promise<string> {
    const { rows } = await this.client.query<{ id: string | null }>('SELECT id::text FROM event_store.store_identity');
    return rows[0]?.id ?? '';
  }

  /** The size of the table with its indexes. Space of deleted rows is part of it until the table is rewritten. */
  async tableBytes(): Promise<number> {
    const { rows } = await this.client.query<{ bytes: string }>(
      `SELECT pg_total_relation_size('event_store.events')::text AS bytes`,
    );
    return Number(rows[0]!.bytes);
  }

  /** The next events of these types. */
  async closingEvents(
    types: readonly string[],
    after: Position,
    to: Position,
    limit: number,
  ): Promise<readonly ClosingEvent[]> {
    const { rows } = await this.client.query<{ position: string; stream: string }>(
      `SELECT e.position::text, e.stream FROM event_store.events AS e
       WHERE e.position > $1 AND e.position <= $2 AND e.type = ANY ($3) ORDER BY e.position LIMIT $4`,
      [after, to, types, limit],
    );
    return rows.map(({ position, stream }) => ({ position: BigInt(position), stream }));
  }

  /** A stream with contents that cannot be unpacked is left out: its bytes stay where they are. */
  async liveStreams(streams: readonly string[]): Promise<readonly LiveStream[]> {
    const { rows } = await this.client.query<EventRow>(
      `SELECT e.position::text, e.stream, e.revision, e.id, e.type, ${contentColumns('e')}
       FROM event_store.events AS e WHERE e.stream = ANY ($1) ORDER BY e.stream, e.revision`,
      [streams],
    );
    const found = new Map<string, RecordedEvent[]>(streams.map((stream) => [stream, []]));
    for (const row of rows) {
      const contents = this.contentsOf(row);
      if (contents === undefined) found.delete(row.stream);
      else found.get(row.stream)?.push({ ...row, ...contents, position: BigInt(row.position) });
    }
    return [...found].map(([stream, events]) => ({ stream, events })).filter(({ events }) => events.length > 0);
  }

  /** Durable when it resolves. Rejects if a stream was continued, or is not completely processed. */
  async record({ name, hash, header, bytes }: EncodedArchive, streams: readonly LiveStream[]): Promise<void> {
    const { number, previous } = header;
    await this.client.query('SELECT event_store.record_archive($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', [
      ...[number, name, hash, previous, bytes],
      streams.map(({ stream }) => stream),
      streams.map(({ events }) => events[0]!.revision),
      streams.map(({ events }) => events.at(-1)!.revision),
      streams.map(({ events }) => String(events[0]!.position)),
      streams.map(({ events }) => String(events.at(-1)!.position)),
    ]);
  }

  private contentsOf({ stream, data, metadata }: EventRow): EventTexts | undefined {
    try {
      return unpackContents(this.unpacker, stream, data, metadata);
    } catch (error) {
      if (error instanceof UnknownPacking) return undefined;
      throw error;
    }
  }

  async streamsIn(file: number): Promise<readonly string[]> {
    const { rows } = await this.client.query<{ stream: string }>(
      'SELECT stream FROM event_store.archived_streams WHERE file = $1',
      [file],
    );
    return rows.map(({ stream }) => stream);
  }

  async delete(file: number, streams: readonly string[]): Promise<void> {
    await this.client.query('SELECT event_store.delete_archived($1, $2)', [file, streams]);
  }

  async finish(file: number): Promise<void> {
    await this.client.query('SELECT event_store.finish_archive($1)', [file]);
  }
}
