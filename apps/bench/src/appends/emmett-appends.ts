import { isExpectedVersionConflictError, STREAM_DOES_NOT_EXIST } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import type { DatabaseConnection } from '@florin/database';
import { randomId } from '@florin/kernel';
import { Pool } from 'pg';
import type { Caller } from '../measure';
import { sampleData, sampleMetadata, sampleType } from '../sample-event';
import { type AppendContestant, OwnStreams } from './append-contestant';

/** One for every caller: of 8, 16, 32, 64 and 128 connections this was the fastest, on the hot stream by far. */
const connections = 128;

/** emmett's Postgres event store with its own schema, a warm pool, and the expected version given on every append. */
export async function emmettAppends(connection: DatabaseConnection): Promise<AppendContestant> {
  const pool = new Pool({ ...connection, max: connections });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const store = getPostgreSQLEventStore(`postgresql://localhost/${connection.database}`, {
    connectionOptions: { pool },
    schema: { autoMigration: 'None' },
  });
  await store.schema.migrate();

  /** Answers the version that the stream has then: a stream expected not to exist is appended to even when it does. */
  async function append(stream: string, version: number): Promise<number> {
    const expectedStreamVersion = version === 0 ? STREAM_DOES_NOT_EXIST : BigInt(version);
    const event = { type: sampleType, data: { ...sampleData() }, metadata: { ...sampleMetadata() } };
    const { nextExpectedStreamVersion } = await store.appendToStream(stream, [event], { expectedStreamVersion });
    return Number(nextExpectedStreamVersion);
  }

  function ownStreams(): Caller {
    const streams = new OwnStreams(() => `account-${randomId()}-sandbox`);
    return async () => {
      const stream = streams.next();
      stream.events = await append(stream.name, stream.events);
    };
  }

  /** Whoever loses tries again at the newest version that any of the callers knows of, without having to read it. */
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
