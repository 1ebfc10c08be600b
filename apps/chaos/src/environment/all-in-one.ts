import { freePort, probeHealth, ServiceProcess } from '@florin/dev-platform';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type Composition, type CompositionOptions, problemsAt } from './composition';

const file = resolve(__dirname, '../../../all-in-one/dist/main.js');
const service = 'all-in-one';
const stopTimeoutMs = 45_000;

/** Several all-in-one processes on one database. */
export async function startAllInOne(options: CompositionOptions): Promise<Composition> {
  const operatorToken = randomBytes(24).toString('hex');
  const processes: ServiceProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map((process) => process.stop()));
  };
  try {
    for (let number = 1; number <= (options.replicas[service] ?? 2); number++) {
      const process = await createProcess(number, operatorToken, options);
      processes.push(process);
      await process.start();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ baseUrls: processes.map(({ url }) => url), operatorToken, processes, services: [service], stop },
    rollingRestart: async () => {
      for (const process of processes) {
        await process.stop();
        await process.start();
      }
    },
    problems: async () => (await Promise.all(processes.map(({ name, url }) => problemsAt(name, url)))).flat(),
  };
}

async function createProcess(
  number: number,
  operatorToken: string,
  { dataDirectory, databaseUrlFor, env, eventStoreUrl, onLine }: CompositionOptions,
): Promise<ServiceProcess> {
  // Clients keep its address, so it stays the same across restarts.
  const port = await freePort();
  const name = `${service}-${number}`;
  const own = {
    ...{ PORT: String(port), FLORIN_DATA_DIR: join(dataDirectory, name), DATABASE_URL: databaseUrlFor(service) },
    ...(eventStoreUrl !== undefined && { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStoreUrl }),
    ...{ FLORIN_OPERATOR_TOKEN: operatorToken, FLORIN_SEED: number === 1 ? 'demo' : 'none' },
  };
  const program = { name, service, file, port, arguments: () => [], env: () => ({ ...env, ...own }) };
  const onState = (process: string, state: string): void => onLine(process, `(is ${state})`);
  return new ServiceProcess({ ...program, probe: probeHealth, stopTimeoutMs }, { onLine, onState });
}
