import { type Client, Pool, type PoolConfig } from 'pg';

/** The address of a database, as a plain object that can be sent to a worker thread and passed to `pg`. */
export type DatabaseConnection = Readonly<
  Pick<PoolConfig, 'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'options'>
>;

export interface PoolOptions {
  readonly max?: number;
  readonly applicationName?: string;
  /** The server cancels a statement that takes longer. The default is no limit. */
  readonly statementTimeoutMs?: number;
  /** Whether sessions are in UTC, as Prisma requires; by default they have the time zone of the server. */
  readonly utc?: boolean;
  /** Called when a connection breaks. Without a listener the error would end the process. */
  readonly onError?: (error: Error) => void;
}

/** The types of `pg` lack the hook, which completes before the connection is used. */
interface PoolConfigWithHook extends PoolConfig {
  readonly onConnect: (client: Client) => Promise<void>;
}

export function createPool(connection: DatabaseConnection, options: PoolOptions = {}): Pool {
  const settings = sessionSettings(options);
  const config: PoolConfigWithHook = {
    ...connection,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'florin',
    onConnect: async (client) => {
      if (settings.length > 0) await client.query(settings.join('; '));
    },
  };
  const pool = new Pool(config);
  const tell = (error: Error): void => options.onError?.(error);
  pool.on('error', tell);
  // The pool listens to idle connections only; one in use reports its error through the query.
  pool.on('connect', (client) => client.on('error', tell));
  return pool;
}

/** Sent as statements, because connection poolers reject them as startup parameters. */
function sessionSettings({ statementTimeoutMs, utc }: PoolOptions): readonly string[] {
  return [
    ...(utc ? [`SET TIME ZONE 'UTC'`] : []),
    ...(statementTimeoutMs === undefined ? [] : [`SET statement_timeout = ${statementTimeoutMs}`]),
  ];
}
