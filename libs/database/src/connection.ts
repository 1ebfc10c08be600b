import { Pool, type PoolConfig } from 'pg';

/** Where a database is, as a plain object that can be logged without surprises, sent to a worker, and given to `pg`. */
export type DatabaseConnection = Readonly<
  Pick<PoolConfig, 'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'>
>;

export interface PoolOptions {
  readonly max?: number;
  readonly applicationName?: string;
  /** Told of connections that break. Without a listener such an error would end the whole process. */
  readonly onError?: (error: Error) => void;
}

export function createPool(connection: DatabaseConnection, options: PoolOptions = {}): Pool {
  const pool = new Pool({
    ...connection,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'florin',
  });
  const tell = (error: Error): void => options.onError?.(error);
  pool.on('error', tell);
  // A connection in use tells of its end by itself; the pool only listens to idle ones.
  pool.on('connect', (client) => client.on('error', tell));
  return pool;
}
