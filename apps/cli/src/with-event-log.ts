import { type Config, createLog, type EventLog, openEventLog, readConfig } from '@florin/runtime';
import { CommandFailed } from './cli-errors';
import type { Environment } from './connection';

/** Opens what is stored, on DATABASE_URL or in the data folder of a stopped Florin, for as long as the work takes. */
export async function withEventLog<Result>(
  environment: Environment,
  work: (eventLog: EventLog, config: Config) => Promise<Result>,
): Promise<Result> {
  const { eventLog, config } = await open(environment);
  try {
    return await work(eventLog, config);
  } finally {
    await eventLog.close();
  }
}

async function open(environment: Environment): Promise<{ readonly eventLog: EventLog; readonly config: Config }> {
  try {
    const config = readConfig(environment);
    return { config, eventLog: await openEventLog(config, createLog('silent')) };
  } catch (error) {
    throw new CommandFailed(error instanceof Error ? error.message : String(error));
  }
}
