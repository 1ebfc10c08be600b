import { BadConfiguration, readConfig } from './config';
import { createLog } from './log';
import { type ServiceDefinition, startService } from './start-service';

/** The whole life of a process: starts the service, and ends it in order when it is told to. */
export async function runService(
  definition: ServiceDefinition,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const config = readConfigOrExit(env);
  const log = createLog(config.LOG_LEVEL);
  const end = (code: number): void => log.flush(() => process.exit(code));
  let ending = false;

  const shutDown = (reason: string, code: number): void => {
    if (ending) return;
    ending = true;
    log.info({ reason }, 'Shutting down');
    const seconds = config.SHUTDOWN_TIMEOUT_SECONDS;
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

  process.on('SIGINT', () => shutDown('SIGINT', 0));
  process.on('SIGTERM', () => shutDown('SIGTERM', 0));
  const starting = startService(definition, config, log, (error) => {
    log.fatal({ err: error }, 'The platform is lost');
    shutDown(error.message, 1);
  });
  await starting.catch((error: unknown) => {
    log.fatal({ err: error }, 'Florin could not start');
    end(1);
  });
}

/** What is wrong with the configuration is told in plain text: whoever set it is probably looking at a terminal. */
function readConfigOrExit(env: Readonly<Record<string, string | undefined>>) {
  try {
    return readConfig(env);
  } catch (error) {
    if (!(error instanceof BadConfiguration)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(1);
  }
}
