import { DataFolderError, isTransientDatabaseError } from '@florin/database';
import type { Config } from './config';

/** A start failed because of its environment. The message says what to do, so no stack is printed. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

export function isExpected(error: unknown): error is Error {
  return error instanceof StartupError || error instanceof DataFolderError;
}

/** The variables with a port to listen on. */
export type PortName = 'PORT' | 'OPERATOR_PORT' | 'METRICS_PORT';

type Explain = (code: string, config: Config, message: string) => string | undefined;

/** Runs `work` and translates system errors into messages that name the variable to change. */
async function explained<Result>(explain: Explain, config: Config, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
    const text = typeof code === 'string' ? explain(code, config, String(message)) : undefined;
    throw text === undefined ? error : new StartupError(text, { cause: error });
  }
}

export const explainListenErrors = <Result>(
  config: Config,
  work: () => Promise<Result>,
  name: PortName = 'PORT',
): Promise<Result> => explained(explainListening(name), config, work);

/** The first connection to the database of DATABASE_URL. */
export const explainDatabaseErrors = <Result>(config: Config, work: () => Promise<Result>): Promise<Result> =>
  config.DATABASE_URL === undefined ? work() : explained(explainDatabase, config, work);

export const explainDataFolderErrors = <Result>(config: Config, work: () => Promise<Result>): Promise<Result> =>
  explained(explainDataFolder, config, work);

const explainListening =
  (name: PortName): Explain =>
  (code, { HOST, [name]: port }) => {
    switch (code) {
      case 'EADDRINUSE':
        return `Port ${port} is already in use on ${HOST}. Set ${name} to a free one, or end the process that listens there.`;
      case 'EACCES':
        return `This user is not allowed to listen on port ${port} of ${HOST}. Set ${name} to a port above 1023.`;
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `${HOST} is not an address of this machine. Set HOST to one of its addresses, or to 0.0.0.0 for all of them.`;
      default:
        return undefined;
    }
  };

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

/** The server of DATABASE_URL may be starting. A wrong password or database is not an outage. */
export function isUnreachableDatabase(error: unknown): boolean {
  const cause: unknown = error instanceof StartupError ? error.cause : error;
  const { code } = (cause ?? {}) as { code?: unknown };
  return isTransientDatabaseError(cause) || (typeof code === 'string' && unreachable.has(code));
}

const explainDatabase: Explain = (code, { DATABASE_URL, DATABASE_OWNER_URL }) => {
  if (!unreachable.has(code)) return undefined;
  const name = DATABASE_OWNER_URL === undefined ? 'DATABASE_URL' : 'DATABASE_OWNER_URL';
  return (
    `The database of ${name} cannot be reached at ${hostAndPort(DATABASE_OWNER_URL ?? DATABASE_URL!)} (${code}). ` +
    `Start it, correct ${name}, or unset DATABASE_URL to use the embedded Postgres.`
  );
};

/** Only host and port: the URL contains a password. */
function hostAndPort(databaseUrl: string): string {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? (hostname || 'localhost')}:${searchParams.get('port') ?? (port || '5432')}`;
}

const notWritable = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'EROFS']);

const explainDataFolder: Explain = (code, { FLORIN_DATA_DIR }, message) =>
  notWritable.has(code)
    ? `The data folder ${FLORIN_DATA_DIR} cannot be written (${message}). ` +
      'Set FLORIN_DATA_DIR to a folder that this user can write to, or change its permissions.'
    : undefined;
