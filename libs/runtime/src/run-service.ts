import { isExpected } from './cannot-start';
import { BadConfiguration, type Config, readConfig } from './config';
import { growHeapFrugally } from './frugal-heap';
import { createLog } from './log';
import type { ServiceDefinition } from './service-definition';
import { startService } from './start-service';

/** The whole life of a process: starts the service, and ends it in order when it is told to. */
export async function runService(
  definition: ServiceDefinition,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  growHeapFrugally();
  const config = readConfigOrExit(definition, env);
  const log = createLog(config.LOG_LEVEL);
  const end = (code: number): void => log.flush(() => process.exit(code));
  let ending = false;

  const shutDown = (reason: string, code: number): void => {
    if (ending) return;
    ending = true;
    log.info({ reason }, 'Shutting down');
    const seconds = config.SHUTDOWN_NOTICE_SECONDS + config.SHUTDOWN_TIMEOUT_SECONDS;
    setTimeout(() => {
      log.fatal(`Could not shut down within ${seconds} s; leaving the rest to the next start`);
      end(1);
    }, seconds * 1000).unref();
    // A start that is under way is completed first: cut off half-way it would leave its database server behind.
    const stopped = starting.then((service) => service.stop());
    stopped.then(
      () => end(code),
      (error: unknown) => {
        log.fatal({ err: error }, 'The shutdown failed');
        end(1);
      },
    );
  };

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => shutDown(signal, 0));
  // Writing to a terminal that was closed fails; unhandled, that would end the process before its database has stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const starting = startService(definition, config, log, (error) => {
    log.fatal({ err: error }, 'The platform is lost');
    shutDown(error.message, 1);
  });
  await starting.catch((error: unknown) => {
    if (isExpected(error)) log.fatal(`Florin could not start. ${error.message}`);
    else log.fatal({ err: error }, 'Florin could not start');
    end(1);
  });
}

/**
 * The environment of this process. `NAME=value` on the command line is what a variable is when the environment does not
 * say otherwise; `fixed` is what this service cannot do without.
 */
export function environment(fixed: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  const defaults = Object.fromEntries(process.argv.slice(2).map(splitAssignment));
  return { ...defaults, ...process.env, ...fixed };
}

/** At the first `=`: a value may have others. */
function splitAssignment(argument: string): [name: string, value: string | undefined] {
  const [name = '', ...rest] = argument.split('=');
  return [name, rest.length === 0 ? undefined : rest.join('=')];
}

/** What is wrong with the configuration is told in plain text: whoever set it is probably looking at a terminal. */
function readConfigOrExit({ needs }: ServiceDefinition, env: Readonly<Record<string, string | undefined>>): Config {
  try {
    return readConfig(env, needs);
  } catch (error) {
    if (!(error instanceof BadConfiguration)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}
