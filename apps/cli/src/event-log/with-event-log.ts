import { type Config, createLog, type EventLog, type EventLogOptions, openEventLog, readConfig } from '@florin/runtime';
import { CommandFailed } from '../cli-errors';
import type { Environment } from '../connection';

/** Runs `work` with the event log open, on DATABASE_URL or in the data folder of a stopped Florin. */
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

/** An empty log is an error: it is more likely the wrong database than a correct result. */
export function emptyLog(verb: string): CommandFailed {
  return new CommandFailed(
    `The log is empty: nothing to ${verb}. If you expected events, check DATABASE_URL, FLORIN_DATA_DIR and EVENT_STORE.`,
  );
}
