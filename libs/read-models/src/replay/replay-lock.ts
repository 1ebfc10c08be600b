import type { DatabaseConnection } from '@florin/database';
import { Client } from 'pg';

/** An arbitrary number that all processes share. */
const replayLock = 7_305_804_403;

/** Another process replays read models of this database. */
export class ReplayInProgress extends Error {
  constructor() {
    super('Another replay is running on this database');
    this.name = 'ReplayInProgress';
  }
}

/** Runs `work` unless another replay is running. The lock ends with the session, however the process ends. */
export async function withReplayLock<Result>(
  connection: DatabaseConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = new Client({ ...connection, application_name: 'florin-replay', keepAlive: true });
  // A lost lock is harmless: the next replay fences off the writes of this one.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [replayLock]);
    if (!rows[0]!.taken) throw new ReplayInProgress();
    return await work();
  } finally {
    await client.end();
  }
}
