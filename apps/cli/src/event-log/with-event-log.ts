import {
  type Config,
  createLog,
  type EventLog,
  type EventLogOptions,
  openEventLog,
  readConfig,
} from '@florin/runtime/tools';
import { CommandFailed } from '../cli-errors';
import type { Environment } from '../connection';

/**
 * Runs `work` with the event log open, on DATABASE_URL or in the data folder. Florin may run on it with `readOnly` or
 * `besideFlorin`. A signal ends it at once, without waiting for a query in progress.
 */
export async function withEventLog<Result>(
  environment: Environment,
  options: EventLogOptions,
  work: (eventLog: EventLog, config: Config) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const opening = open(environment, options);
  const { eventLog, config } = await unlessAborted(opening, signal).catch(async (error: unknown) => {
    // The server of a data folder that has just been started must be stopped.
    if (signal?.aborted && environment.DATABASE_URL === undefined) {
      await opening.then(
        (opened) => opened.eventLog.abandon(),
        () => undefined,
      );
    }
    throw error;
  });
  try {
    return await unlessAborted(work(eventLog, config), signal);
  } finally {
    await (signal?.aborted ? eventLog.abandon() : eventLog.close());
  }
}

function unlessAborted<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return result;
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(new Error('Interrupted'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  return Promise.race([result, aborted]);
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
