import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './cli-errors';
import { OperatorApi } from './operator-api';

export type Environment = Readonly<Record<string, string | undefined>>;

interface Credentials {
  readonly baseUrl?: string;
  readonly operatorToken?: string;
  readonly companies?: readonly CompanyCredentials[];
}

export interface CompanyCredentials {
  readonly name: string;
  readonly keys: Readonly<Record<string, string>>;
}

export const defaultUrl = 'http://127.0.0.1:3000';

/** What was typed comes first, then the environment, then what a server on this machine has left in its data folder. */
export function connect(url: string | undefined, token: string | undefined, environment: Environment): OperatorApi {
  const { file, credentials } = readCredentials(environment);
  const operatorToken = (token || environment.FLORIN_OPERATOR_TOKEN || credentials.operatorToken)?.trim();
  if (!operatorToken) {
    throw new UsageError(
      `There is no operator token. Give it with --token or FLORIN_OPERATOR_TOKEN, or start Florin with \`npm start\`, ` +
        `which writes it to ${file}`,
    );
  }
  return new OperatorApi(url || credentials.baseUrl || defaultUrl, operatorToken);
}

/** What is in the file, which is nothing where there is none, and where the file would be. */
export function readCredentials(environment: Environment): {
  readonly file: string;
  readonly credentials: Credentials;
} {
  const file = join(environment.FLORIN_DATA_DIR || '.florin', 'credentials.json');
  try {
    return { file, credentials: (JSON.parse(readFileSync(file, 'utf8')) as Credentials | null) ?? {} };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { file, credentials: {} };
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
