import type { Snapshot, SnapshotStore, SubscriptionLog } from '@florin/event-sourcing';
import { type ClientConfig, Pool } from 'pg';

export interface PostgresSnapshotStoreOptions {
  readonly log: Pick<SubscriptionLog, 'warn'>;
  /** Loading a stream does not wait longer than this for a snapshot. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

type Row = Pick<Snapshot, 'revision' | 'hash' | 'state' | 'digest'>;

const find = {
  name: 'find-snapshot',
  text: 'SELECT revision, hash, state, digest FROM event_store.snapshots WHERE stream = $1 AND version = $2',
};

const save = {
  name: 'save-snapshot',
  text: `INSERT INTO event_store.snapshots AS stored (stream, revision, hash, version, state, digest)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (stream) DO UPDATE
      SET (revision, hash, version, state, digest) =
        (excluded.revision, excluded.hash, excluded.version, excluded.state, excluded.digest)
      WHERE stored.version <> excluded.version OR stored.revision < excluded.revision`,
};

const discard = {
  name: 'discard-snapshot',
  text: 'DELETE FROM event_store.snapshots WHERE stream = $1 AND digest = $2',
};

/** Snapshots in a Postgres database with the `event_store` migrations, independent of where the events are. */
export class PostgresSnapshotStore implements SnapshotStore {
  /** Reading this many events takes a tenth of a second on a busy machine. */
  readonly minEvents = 2_000;
  /** An event with its operation is a few kilobytes; for a large state this much more is written per event. */
  readonly bytesPerEvent = 300;

  private readonly pool: Pool;
  private readonly log: PostgresSnapshotStoreOptions['log'];
  private readonly maxBytes: number;

  /** Uses separate connections: loading a stream must not queue behind the list queries of clients. */
  constructor(connection: ClientConfig, { log, timeoutMs = 5_000, maxBytes = 2 ** 25 }: PostgresSnapshotStoreOptions) {
    this.log = log;
    this.maxBytes = maxBytes;
    this.pool = new Pool({
      application_name: 'florin snapshots',
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      max: 2,
    });
    // A broken connection fails at its next use. Without a listener its error would end the process.
    this.pool.on('error', () => undefined);
  }

  async find(stream: string, version: string): Promise<Snapshot | undefined> {
    return this.attempt(stream, 'Cannot read a snapshot; reading the stream from its first event', async () => {
      const { rows } = await this.pool.query<Row>({ ...find, values: [stream, version] });
      return rows[0] && { stream, version, ...rows[0] };
    });
  }

  async save({ stream, revision, hash, version, state, digest }: Snapshot): Promise<void> {
    if (state.length > this.maxBytes) {
      const details = { stream, revision, bytes: state.length, maxBytes: this.maxBytes };
      this.log.warn(details, 'A snapshot is too large to store; loading this stream after a restart will be slow');
      return;
    }
    await this.attempt(stream, 'Cannot store a snapshot; a later one will be stored', () =>
      this.pool.query({ ...save, values: [stream, revision, hash, version, state, digest] }),
    );
  }

  async discard({ stream, revision, digest }: Snapshot, reason: string): Promise<void> {
    this.log.warn({ stream, revision, reason }, 'A snapshot is unusable; reading the stream from its first event');
    await this.attempt(stream, 'Cannot delete a snapshot; it will be checked again', () =>
      this.pool.query({ ...discard, values: [stream, digest] }),
    );
  }

  /** Waits for snapshots that are being stored. */
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
