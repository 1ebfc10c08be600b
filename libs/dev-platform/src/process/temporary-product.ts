import { temporaryDataDirectory } from '@florin/database';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { semiSpaceFlag } from '../cluster/program-run';
import { type ServerProcess, startServerProcess } from './server-process';

interface Credentials {
  readonly operatorToken: string;
  readonly companies: readonly { readonly keys: { readonly live: string } }[];
}

export interface TemporaryProduct extends ServerProcess, Credentials {}

const allInOne = resolve(__dirname, '../../../../apps/all-in-one/dist/main.js');

/** Starts the product as `npm start` does, on a free port and in a temporary data folder that `stop` removes. */
export async function startTemporaryProduct(env: NodeJS.ProcessEnv): Promise<TemporaryProduct> {
  const dataDirectory = temporaryDataDirectory('florin-temporary-');
  const removeData = (): void => rmSync(dataDirectory, { recursive: true, force: true });
  try {
    const server = await startServerProcess({
      file: allInOne,
      env: { PORT: '0', FLORIN_DATA_DIR: dataDirectory, ...env },
      nodeOptions: [semiSpaceFlag],
      ready: /Florin is ready/,
    });
    const credentials = JSON.parse(readFileSync(join(dataDirectory, 'credentials.json'), 'utf8')) as Credentials;
    return { ...server, ...credentials, baseUrl: server.baseUrl, stop: () => server.stop().finally(removeData) };
  } catch (error) {
    removeData();
    throw error;
  }
}
