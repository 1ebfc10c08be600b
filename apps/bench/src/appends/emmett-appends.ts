import { isExpectedVersionConflictError, STREAM_DOES_NOT_EXIST } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import type { DatabaseConnection } from '@florin/database';
import { randomId } from '@florin/kernel';
import { Pool } from 'pg';
import type { Caller } from '../measure';
import { sampleData, sampleMetadata, sampleType } from '../sample-event';
import { type AppendContestant, RoundRobinStreams } from './append-contestant';

/** One per caller: the fastest of 8, 16, 32, 64 and 128 connections, by far on the hot stream. */
const connections = 128;

/** emmett's Postgres event store with its own schema, a warm pool and an expected version on every append. */
export async function emmettAppends(connection: DatabaseConnection): Promise<AppendContestant> {
  const pool = new Pool({ ...connection, max: connections });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const store = getPostgreSQLEventStore(`postgresql://localhost/${connection.database}`, {
    connectionOptions: { pool },
    schema: { autoMigration: 'None' },
  });
  await store.schema.migrate();

  /** Returns the new version, because emmett appends to a stream expected not to exist even if it does. */
  async function append(stream: string, version: number): Promise<number> {
    const expectedStreamVersion = version === 0 ? STREAM_DOES_NOT_EXIST : BigInt(version);
    const event = { type: sampleType, data: { ...sampleData() }, metadata: { ...sampleMetadata() } };
    const { nextExpectedStreamVersion } = await store.appendToStream(stream, [event], { expectedStreamVersion });
    return Number(nextExpectedStreamVersion);
  }

  function ownStreams(): Caller {
    const streams = new RoundRobinStreams(() => `account-${randomId()}-sandbox`);
    return async () => {
      const stream = streams.next();
      stream.events = await append(stream.name, stream.events);
    };
  }

  /** After a conflict, a caller retries at the newest version that any caller has seen, without reading the stream. */
  function hotStream(callers: number): Caller[] {
    const stream = `account-${randomId()}-sandbox`;
    let newest = 0;
    return Array.from({ length: callers }, () => async () => {
      for (;;) {
        try {
          const version = await append(stream, newest);
          newest = Math.max(newest, version);
          return;
        } catch (error) {
          if (!isExpectedVersionConflictError(error)) throw error;
        }
      }
    });
  }

  return {
    manyStreams: (callers) => Array.from({ length: callers }, ownStreams),
    hotStream,
    close: async () => {
      await store.close();
      await pool.end();
    },
  };
}
