import { Pool } from 'pg';
import type { DatabaseConnection } from './connection';

/**
 * Checks that a server responds. It has a separate connection, so busy queries do not delay it, and it never waits longer than
 * the timeout, not even for a server that accepts connections and is silent.
 */
export class DatabaseProbe {
  private readonly pool: Pool;

  constructor(connection: DatabaseConnection, timeoutMs: number) {
    const limits = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
    this.pool = new Pool({ ...connection, ...limits, max: 1, application_name: 'florin-health' });
    // The next check reports a broken connection; without listeners it would end the process.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** Rejects if the server does not respond in time, or if `isRight` rejects. */
  async check(isRight: (connection: Pick<Pool, 'query'>) => Promise<unknown> = selectOne): Promise<void> {
    await isRight(this.pool);
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}

function selectOne(connection: Pick<Pool, 'query'>): Promise<unknown> {
  return connection.query('SELECT 1');
}
