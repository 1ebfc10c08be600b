import type { Snapshot, SnapshotStore, SubscriptionLog } from '@florin/event-sourcing';
import { type ClientConfig, Pool } from 'pg';

export interface PostgresSnapshotStoreOptions {
  readonly log: Pick<SubscriptionLog, 'warn'>;
  /** Longer than this nobody waits for a short cut. */
  readonly timeoutMs?: number;
  readonly mostBytes?: number;
}

type Row = Pick<Snapshot, 'revision' | 'hash' | 'state' | 'digest'>;

const find = {
  name: 'find-snapshot',
  text: 'SELECT revision, hash, state, digest FROM event_store.snapshots WHERE stream = $1 AND version = $2',
};

const keep = {
  name: 'keep-snapshot',
  text: `INSERT INTO event_store.snapshots AS kept (stream, revision, hash, version, state, digest)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (stream) DO UPDATE
      SET (revision, hash, version, state, digest) =
        (excluded.revision, excluded.hash, excluded.version, excluded.state, excluded.digest)
      WHERE kept.version <> excluded.version OR kept.revision < excluded.revision`,
};

const discard = {
  name: 'discard-snapshot',
  text: 'DELETE FROM event_store.snapshots WHERE stream = $1 AND digest = $2',
};

/** Snapshots in a Postgres database with the migrations of `event_store` applied, wherever the events are. */
export class PostgresSnapshotStore implements SnapshotStore {
  /** So many are read again in a tenth of a second. */
  readonly leastEvents = 10_000;
  /** An event with its operation is a few kilobytes; of a large state so much more is written for each. */
  readonly bytesPerEvent = 300;

  private readonly pool: Pool;
  private readonly log: PostgresSnapshotStoreOptions['log'];
  private readonly mostBytes: number;

  /** On connections of its own: whoever loads a stream must not stand in line behind the lists of clients. */
  constructor(connection: ClientConfig, { log, timeoutMs = 5_000, mostBytes = 2 ** 25 }: PostgresSnapshotStoreOptions) {
    this.log = log;
    this.mostBytes = mostBytes;
    this.pool = new Pool({
      application_name: 'florin snapshots',
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      max: 2,
    });
    // A connection that breaks shows where it is used next; unheard, its error would end the process.
    this.pool.on('error', () => undefined);
  }

  async find(stream: string, version: string): Promise<Snapshot | undefined> {
    return this.attempt(stream, 'Cannot look for a snapshot; reading the stream from its first event', async () => {
      const { rows } = await this.pool.query<Row>({ ...find, values: [stream, version] });
      return rows[0] && { stream, version, ...rows[0] };
    });
  }

  async keep({ stream, revision, hash, version, state, digest }: Snapshot): Promise<void> {
    if (state.length > this.mostBytes) {
      const details = { stream, revision, bytes: state.length, mostBytes: this.mostBytes };
      this.log.warn(details, 'A snapshot is too large to be kept; the stream takes long to read after a restart');
      return;
    }
    await this.attempt(stream, 'Cannot keep a snapshot; the next one is made later', () =>
      this.pool.query({ ...keep, values: [stream, revision, hash, version, state, digest] }),
    );
  }

  async discard({ stream, revision, digest }: Snapshot, reason: string): Promise<void> {
    this.log.warn({ stream, revision, reason }, 'A snapshot is of no use; reading the stream from its first event');
    await this.attempt(stream, 'Cannot discard a snapshot; it will be looked at again', () =>
      this.pool.query({ ...discard, values: [stream, digest] }),
    );
  }

  /** Waits for what is being kept. */
  async close(): Promise<void> {
    await this.pool.end();
  }

  private async attempt<Value>(
    stream: string,
    warning: string,
    work: () => Promise<Value>,
  ): Promise<Value | undefined> {
    try {
      return await work();
    } catch (error) {
      this.log.warn({ stream, err: error }, warning);
      return undefined;
    }
  }
}
