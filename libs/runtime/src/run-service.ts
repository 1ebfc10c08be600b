import { setFlagsFromString } from 'node:v8';
import { isExpected } from './startup-error';
import { BadConfiguration, type Config, readConfig } from './config';
import { createLog } from './log';
import type { ServiceDefinition } from './service-definition';
import { startService } from './start-service';
import { StartCancelled } from './until-available';

/** Starts the service and stops it gracefully on a signal. */
export async function runService(
  definition: ServiceDefinition,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  limitHeapGrowth();
  const config = readConfigOrExit(definition, env);
  const log = createLog(config.LOG_LEVEL);
  const end = (code: number): void => log.flush(() => process.exit(code));
  const cancelling = new AbortController();
  let ending = false;

  const shutDown = (reason: string, code: number): void => {
    if (ending) return;
    ending = true;
    log.info({ reason }, 'Shutting down');
    const seconds = config.SHUTDOWN_NOTICE_SECONDS + config.SHUTDOWN_TIMEOUT_SECONDS;
    setTimeout(() => {
      log.fatal(`Could not shut down within ${seconds} s. The next start recovers what is unfinished.`);
      end(1);
    }, seconds * 1000).unref();
    // A start in progress is completed first: interrupting it would leave its database server running. It only stops
    // waiting for what is not available.
    cancelling.abort();
    const stopped = starting.then((service) => service.stop());
    stopped.then(
      () => end(code),
      (error: unknown) => {
        if (error instanceof StartCancelled) return end(code);
        log.fatal({ err: error }, 'The shutdown failed');
        end(1);
      },
    );
  };

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => shutDown(signal, 0));
  // Writing to a closed terminal fails. Unhandled, the error would end the process before its database has stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const onLost = (error: Error): void => {
    log.fatal({ err: error }, 'A backing service is lost');
    shutDown(error.message, 1);
  };
  const starting = startService(definition, config, { log, onLost, signal: cancelling.signal });
  await starting.catch((error: unknown) => {
    if (error instanceof StartCancelled) return;
    if (isExpected(error)) log.fatal(`Florin could not start. ${error.message}`);
    else log.fatal({ err: error }, 'Florin could not start');
    end(1);
  });
}

/** The variables of this process. `NAME=value` arguments set defaults. */
export function processEnv(): Record<string, string | undefined> {
  const defaults = Object.fromEntries(process.argv.slice(2).map(splitAssignment));
  return { ...defaults, ...process.env };
}

/** Splits at the first `=`: the value may contain others. */
function splitAssignment(argument: string): [name: string, value: string | undefined] {
  const [name = '', ...rest] = argument.split('=');
  return [name, rest.length === 0 ? undefined : rest.join('=')];
}

/** Prints configuration errors as plain text, because they are usually read on a terminal. */
function readConfigOrExit({ needs }: ServiceDefinition, env: Readonly<Record<string, string | undefined>>): Config {
  try {
    return readConfig(env, needs);
  } catch (error) {
    if (!(error instanceof BadConfiguration)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}

/**
 * By default V8 lets the heap grow to four times the live data before a full collection. The live data here are caches of
 * bounded size, so collecting at less than twice their size costs nothing measurable and keeps memory flat under load.
 * The flag is set here because `NODE_OPTIONS` does not accept it.
 */
function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=80');
}
