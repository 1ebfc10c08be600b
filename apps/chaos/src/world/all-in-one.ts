import { freePort } from '@florin/dev-platform';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Composition, CompositionOptions } from './composition';
import { SupervisedProcess } from './supervised-process';

const main = resolve(__dirname, '../../../all-in-one/dist/main.js');
const service = 'all-in-one';

/** Whole products side by side on one database. */
export async function startAllInOne(options: CompositionOptions): Promise<Composition> {
  const { dataDirectory, databaseUrl, env, replicas, onLine } = options;
  const operatorToken = randomBytes(24).toString('hex');
  const processes: SupervisedProcess[] = [];
  const baseUrls: string[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((process) => process.stop()));
  };
  try {
    for (let number = 1; number <= (replicas[service] ?? 2); number++) {
      const port = await freePort();
      const name = `${service}-${number}`;
      const url = `http://127.0.0.1:${port}`;
      const own = {
        ...{ PORT: String(port), FLORIN_DATA_DIR: join(dataDirectory, name), DATABASE_URL: databaseUrl },
        ...{ FLORIN_OPERATOR_TOKEN: operatorToken, FLORIN_SEED: number === 1 ? 'demo' : 'none' },
      };
      const process = new SupervisedProcess({ name, main, url, env: { ...env, ...own }, onLine });
      processes.push(process);
      baseUrls.push(url);
      await process.untilReady();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ baseUrls, operatorToken, processes, services: [service], stop },
    rollingRestart: async () => {
      for (const process of processes) await process.restart();
    },
    problems: async () => (await Promise.all(processes.map((process) => process.problems()))).flat(),
  };
}
