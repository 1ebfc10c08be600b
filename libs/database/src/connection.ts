import { Pool, type PoolConfig } from 'pg';

/** The address of a database, as a plain object that can be sent to a worker thread and passed to `pg`. */
export type DatabaseConnection = Readonly<
  Pick<PoolConfig, 'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl'>
>;

export interface PoolOptions {
  readonly max?: number;
  readonly applicationName?: string;
  /** Called when a connection breaks. Without a listener the error would end the process. */
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
  // The pool listens to idle connections only; one in use reports its error through the query.
  pool.on('connect', (client) => client.on('error', tell));
  return pool;
}
