import { PostgresLogCheckpoints } from '@florin/checkpoint-store-postgres';
import type { DatabaseConnection, EventStoreKind } from '@florin/database';
import { exponentialBackoff, type LogCheckpoint, logSignerName, type Position } from '@florin/event-sourcing';
import { Client, type Pool } from 'pg';
import { StartupError } from '../startup-error';

/** An arbitrary number that all processes share. */
const copyLock = 7_305_804_404;

/** Appends of all processes wait for it; see the migrations. */
const appendLock = '7017280452245743464';

/** The name of the sessions of a copy, by which it recognizes its own. */
export const copySessionName = 'florin-log-copy';

/** Rejects a start while `florin log copy` runs: the store would change while the service uses it. */
export async function requireNoCopy(database: Pick<Pool, 'query'>): Promise<void> {
  const { rows } = await database.query<{ free: boolean }>('SELECT pg_try_advisory_xact_lock_shared($1) AS free', [
    copyLock,
  ]);
  if (rows[0]!.free) return;
  throw new StartupError(
    '`florin log copy` is moving the log of this database to another event store. Start Florin when it has ended.',
  );
}

export interface StoreSwitch {
  readonly from: EventStoreKind;
  readonly to: EventStoreKind;
  readonly fromId: string;
  readonly toId: string;
  /** The verified ends of both logs. */
  readonly sourceHead: Position;
  readonly targetHead: Position;
  /** Signs the copy, if the log is signed. */
  readonly checkpoint: LogCheckpoint | undefined;
}

/** Florin or one of its tools uses the database. */
export class FlorinIsRunning extends Error {
  constructor(sessions: readonly string[]) {
    super(
      `Florin is running on this database (sessions: ${sessions.join(', ')}). Stop all services and tools of Florin, and run this ` +
        'command again.',
    );
    this.name = 'FlorinIsRunning';
  }
}

/** The source changed after it was verified. */
export class SourceChanged extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SourceChanged';
  }
}

/**
 * The database session of a copy. It holds the lock that keeps Florin from starting, and has the positions of every event in
 * both stores. Losing it loses both, so the switch cannot happen without them.
 */
export class CopySession {
  private constructor(private readonly client: Client) {}

  static async open(connection: DatabaseConnection): Promise<CopySession> {
    const client = new Client({ ...connection, application_name: copySessionName, keepAlive: true });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await lock(client);
      await client.query('CREATE TEMP TABLE log_copy (source bigint PRIMARY KEY, target bigint NOT NULL)');
      await client.query(`CREATE FUNCTION pg_temp.copied(of_source bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
        SELECT coalesce((SELECT target FROM pg_temp.log_copy WHERE source <= of_source ORDER BY source DESC LIMIT 1), 0)
      $$`);
      return new CopySession(client);
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  async requireStopped(): Promise<void> {
    const sessions = await untilGone(
      () => this.otherSessions(),
      (names) => names.length === 0,
    );
    if (sessions.length > 0) throw new FlorinIsRunning(sessions);
  }

  async clearPositions(): Promise<void> {
    await this.client.query('TRUNCATE pg_temp.log_copy');
  }

  async addPositions(sources: readonly Position[], targets: readonly Position[]): Promise<void> {
    const text = 'INSERT INTO pg_temp.log_copy SELECT * FROM unnest($1::bigint[], $2::bigint[])';
    await this.client.query(text, [sources, targets]);
  }

  /**
   * One transaction: afterwards the target has the log, every position that the database keeps is one of the target, and the
   * source is refused.
   */
  async switchStore(change: StoreSwitch): Promise<void> {
    await this.client.query('BEGIN');
    try {
      await this.requireUnchanged(change);
      await this.translatePositions();
      if (change.checkpoint !== undefined) await this.signCopy(change.checkpoint);
      await this.client.query('UPDATE event_store.store_identity SET kind = $1, id = $2, position = $3', [
        ...[change.to, change.toId, change.targetHead],
      ]);
      await this.client.query('SET LOCAL synchronous_commit = on');
      await this.client.query('COMMIT');
    } catch (error) {
      await this.client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.client.end();
  }

  private async otherSessions(): Promise<readonly string[]> {
    const { rows } = await this.client.query<{ name: string }>(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'florin%' AND application_name <> $1 ORDER BY name`,
      [copySessionName],
    );
    return rows.map(({ name }) => name);
  }

  private async requireUnchanged({ from, fromId, sourceHead }: StoreSwitch): Promise<void> {
    await this.client.query(`SELECT pg_advisory_xact_lock(${appendLock})`);
    const { rowCount } = await this.client.query(
      'SELECT FROM event_store.store_identity WHERE kind = $1 AND id = $2 FOR UPDATE',
      [from, fromId],
    );
    if (rowCount !== 1) throw new SourceChanged('Another process has changed the event store of this database.');
    await this.requireStopped();
    if (from !== 'postgres') return;
    const { rows } = await this.client.query<{ head: string }>(
      'SELECT max(position)::text AS head FROM event_store.events',
    );
    if (BigInt(rows[0]!.head) !== sourceHead) {
      throw new SourceChanged(`The log has grown to position ${rows[0]!.head} since it was compared. Stop Florin.`);
    }
  }

  /** Positions of webhook events are unique per object, also during a statement; no position is negative otherwise. */
  private async translatePositions(): Promise<void> {
    for (const table of ['webhooks.events', 'webhooks.compact_events']) {
      await this.client.query(`UPDATE ${table} SET position = -pg_temp.copied(position)`);
      await this.client.query(`UPDATE ${table} SET position = -position`);
    }
    for (const [table, column] of [
      ['webhooks.objects', 'position'],
      ['webhooks.recoveries', 'until_position'],
      ['webhooks.sent_up_to', 'position'],
      ['event_store.set_aside_streams', 'position'],
      ['replay.progress', 'position'],
    ] as const) {
      await this.client.query(`UPDATE ${table} SET ${column} = pg_temp.copied(${column})`);
    }
    // The position of a sink is the number of a checkpoint. A new epoch fences off a process that has lost its session.
    await this.client
      .query(`UPDATE event_store.subscription_shards SET position = pg_temp.copied(position), epoch = epoch + 1
      WHERE subscription NOT LIKE 'checkpoint-sink-%'`);
  }

  private async signCopy(checkpoint: LogCheckpoint): Promise<void> {
    await new PostgresLogCheckpoints(this.client).append(this.client, checkpoint);
    await this.client.query('UPDATE event_store.subscription_shards SET position = $1 WHERE subscription = $2', [
      ...[checkpoint.position, logSignerName],
    ]);
  }
}

async function lock(client: Client): Promise<void> {
  const attempt = async (): Promise<boolean> => {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [copyLock]);
    return rows[0]!.taken;
  };
  if (await untilGone(attempt, (taken) => taken)) return;
  throw new StartupError('Another `florin log copy` runs on this database. Wait until it has ended');
}

/** The session of a process that has ended needs a moment to disappear. Returns the last state. */
async function untilGone<State>(read: () => Promise<State>, isGone: (state: State) => boolean): Promise<State> {
  const backoff = exponentialBackoff(50, 500);
  for (let retry = 1; ; retry++) {
    const state = await read();
    if (isGone(state) || retry === 8) return state;
    await backoff.wait(retry);
  }
}
