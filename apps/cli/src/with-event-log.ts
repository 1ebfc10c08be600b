import { type Config, createLog, type EventLog, type EventLogOptions, openEventLog, readConfig } from '@florin/runtime';
import { CommandFailed } from './cli-errors';
import type { Environment } from './connection';

/** Opens what is stored, on DATABASE_URL or in the data folder of a stopped Florin, for as long as the work takes. */
export async function withEventLog<Result>(
  environment: Environment,
  options: EventLogOptions,
  work: (eventLog: EventLog, config: Config) => Promise<Result>,
): Promise<Result> {
  const { eventLog, config } = await open(environment, options);
  try {
    return await work(eventLog, config);
  } finally {
    await eventLog.close();
  }
}

async function open(
  environment: Environment,
  options: EventLogOptions,
): Promise<{ readonly eventLog: EventLog; readonly config: Config }> {
  try {
    const config = readConfig(environment);
    return { config, eventLog: await openEventLog(config, createLog('silent'), options) };
  } catch (error) {
    throw new CommandFailed(error instanceof Error ? error.message : String(error));
  }
}

/** What was looked for in vain is more likely elsewhere than right. */
export function nothingTo(verb: string): CommandFailed {
  return new CommandFailed(
    `The log is empty: there is nothing to ${verb}. If it should not be, look whether DATABASE_URL, FLORIN_DATA_DIR and EVENT_STORE are those of your Florin.`,
  );
}
