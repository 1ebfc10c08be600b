import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './cli-errors';
import { FlorinClient } from './florin-client';

export type Environment = Readonly<Record<string, string | undefined>>;

interface Credentials {
  readonly baseUrl?: string;
  /** Only if the operator API has a separate port. */
  readonly operatorUrl?: string;
  readonly operatorToken?: string;
  readonly companies?: readonly CompanyCredentials[];
}

export interface CompanyCredentials {
  readonly name: string;
  readonly keys: Readonly<Record<string, string>>;
}

export const defaultUrl = 'http://127.0.0.1:3000';

/** The operator API. Options override the environment, which overrides the credentials.json of the data folder. */
export function connect(
  { url, token }: { readonly url?: string; readonly token?: string },
  environment: Environment,
): FlorinClient {
  const { file, credentials } = readCredentials(environment);
  const operatorToken = (token || environment.FLORIN_OPERATOR_TOKEN || credentials.operatorToken)?.trim();
  if (!operatorToken) {
    throw new UsageError(
      `No operator token. Set --token or FLORIN_OPERATOR_TOKEN, or start Florin with \`npm start\`, ` +
        `which writes the token to ${file}.`,
    );
  }
  return new FlorinClient({
    baseUrl: url || credentials.operatorUrl || credentials.baseUrl || defaultUrl,
    path: '/operator/v1',
    bearer: operatorToken,
    adviceOn401: 'Set the correct token with --token or FLORIN_OPERATOR_TOKEN.',
  });
}

/** Empty credentials if the file does not exist. */
export function readCredentials(environment: Environment): {
  readonly file: string;
  readonly credentials: Credentials;
} {
  const file = join(environment.FLORIN_DATA_DIR || '.florin', 'credentials.json');
  try {
    return { file, credentials: (JSON.parse(readFileSync(file, 'utf8')) as Credentials | null) ?? {} };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { file, credentials: {} };
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}`);
  }
}
