import type { Snapshot, SnapshotStore } from '@florin/event-sourcing';
import type { Pool } from 'pg';

export interface SnapshotLog {
  warn(details: object, message: string): void;
}

interface Row {
  readonly revision: number;
  readonly hash: string;
  readonly state: Buffer;
}

const find = {
  name: 'find-snapshot',
  text: 'SELECT revision, hash, state FROM event_store.snapshots WHERE stream = $1 AND state_version = $2',
};

const keep = {
  name: 'keep-snapshot',
  text: `INSERT INTO event_store.snapshots AS kept (stream, revision, hash, state_version, state)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (stream) DO UPDATE
      SET (revision, hash, state_version, state) = (excluded.revision, excluded.hash, excluded.state_version, excluded.state)
      WHERE kept.state_version <> excluded.state_version OR kept.revision < excluded.revision`,
};

const discard = {
  name: 'discard-snapshot',
  text: 'DELETE FROM event_store.snapshots WHERE stream = $1 AND revision = $2 AND state_version = $3',
};

/** Snapshots in a Postgres database with the migrations of `event_store` applied, wherever the events are. */
export class PostgresSnapshotStore implements SnapshotStore {
  /** So many are read again in a tenth of a second. */
  readonly eventsPerSnapshot = 10_000;

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly log: SnapshotLog,
  ) {}

  async find(stream: string, stateVersion: number): Promise<Snapshot | undefined> {
    return this.attempt(stream, 'Cannot look for a snapshot; reading the stream from its first event', async () => {
      const { rows } = await this.pool.query<Row>({ ...find, values: [stream, stateVersion] });
      return rows[0] && { stream, stateVersion, ...rows[0] };
    });
  }

  async keep({ stream, revision, hash, stateVersion, state }: Snapshot): Promise<void> {
    await this.attempt(stream, 'Cannot keep a snapshot; the next one is made later', () =>
      this.pool.query({ ...keep, values: [stream, revision, hash, stateVersion, state] }),
    );
  }

  async discard({ stream, revision, stateVersion }: Snapshot, reason: string): Promise<void> {
    this.log.warn({ stream, revision, reason }, 'A snapshot is of no use; reading the stream from its first event');
    await this.attempt(stream, 'Cannot discard a snapshot; it will be looked at again', () =>
      this.pool.query({ ...discard, values: [stream, revision, stateVersion] }),
    );
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
