import { UnusableFolder } from '@florin/database';
import type { Config } from './config';

/** What keeps Florin from starting and is a matter of its surroundings: the message says what to do, a stack would hide it. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

export function isExpected(error: unknown): error is Error {
  return error instanceof CannotStart || error instanceof UnusableFolder;
}

type Explain = (code: string, config: Config, message: string) => string | undefined;

/** Does the work, and puts what the system says to it into words that name the variable to change. */
async function explained<Result>(explain: Explain, config: Config, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
    const text = typeof code === 'string' ? explain(code, config, String(message)) : undefined;
    throw text === undefined ? error : new CannotStart(text, { cause: error });
  }
}

export const listening = <Result>(config: Config, work: () => Promise<Result>): Promise<Result> =>
  explained(explainListening, config, work);

/** The first connection to a database of one's own. */
export const reachingDatabase = <Result>(config: Config, work: () => Promise<Result>): Promise<Result> =>
  config.DATABASE_URL === undefined ? work() : explained(explainDatabase, config, work);

export const usingDataFolder = <Result>(config: Config, work: () => Promise<Result>): Promise<Result> =>
  explained(explainDataFolder, config, work);

const explainListening: Explain = (code, { HOST, PORT }) => {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${PORT} is taken on ${HOST}; choose another with PORT, or end what listens there.`;
    case 'EACCES':
      return `This user may not listen on port ${PORT} of ${HOST}; choose another with PORT, such as one above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${HOST} is no address of this machine; choose another with HOST, such as 127.0.0.1, or 0.0.0.0 for all that it has.`;
    default:
      return undefined;
  }
};

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

const explainDatabase: Explain = (code, { DATABASE_URL }) =>
  unreachable.has(code)
    ? `The database of DATABASE_URL cannot be reached at ${placeOf(DATABASE_URL!)} (${code}); ` +
      'start it, put DATABASE_URL right, or leave it out for the Postgres that comes with Florin.'
    : undefined;

/** Host and port alone: a URL of a database has a password in it. */
function placeOf(databaseUrl: string): string {
  const { hostname, port, searchParams } = new URL(databaseUrl);
  return `${searchParams.get('host') ?? (hostname || 'localhost')}:${searchParams.get('port') ?? (port || '5432')}`;
}

const notWritable = new Set(['EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'EROFS']);

const explainDataFolder: Explain = (code, { FLORIN_DATA_DIR }, message) =>
  notWritable.has(code)
    ? `The data folder ${FLORIN_DATA_DIR} cannot be written (${message}); ` +
      'choose one with FLORIN_DATA_DIR that this user may write, or give this user the right to.'
    : undefined;
