import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './cli-errors';
import { OperatorApi } from './operator-api';

export type Environment = Readonly<Record<string, string | undefined>>;

interface Credentials {
  readonly baseUrl?: string;
  readonly operatorToken?: string;
}

const defaultUrl = 'http://127.0.0.1:3000';

/** What was typed comes first, then the environment, then what a server on this machine has left in its data folder. */
export function connect(url: string | undefined, token: string | undefined, environment: Environment): OperatorApi {
  const file = join(environment.FLORIN_DATA_DIR || '.florin', 'credentials.json');
  const credentials = readCredentials(file);
  const operatorToken = (token || environment.FLORIN_OPERATOR_TOKEN || credentials.operatorToken)?.trim();
  if (!operatorToken) {
    throw new UsageError(
      `There is no operator token. Give it with --token or FLORIN_OPERATOR_TOKEN, or start Florin with \`npm start\`, ` +
        `which writes it to ${file}`,
    );
  }
  return new OperatorApi(url || credentials.baseUrl || defaultUrl, operatorToken);
}

function readCredentials(file: string): Credentials {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Credentials | null) ?? {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
