import type { LoggerService } from '@nestjs/common';
import { destination, type DestinationStream, type Logger, pino } from 'pino';
import { redactSecrets } from './redact-secrets';
import { terminalLines } from './terminal-lines';

export type Log = Logger;

/** JSON lines for machines, without holding anybody up; readable ones where a person is looking. */
function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return terminalLines((text) => void process.stdout.write(text));
  return destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 200 });
}

/** Who writes a line about a request gives its id along: an ambient context would cost every request dearly. */
export function createLog(level: string, output: DestinationStream = standardOutput()): Log {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactSecrets },
      serializers: { err: describeError },
    },
    output,
  );
}

/** What an error says, and nothing that hangs on it: a database driver hangs a whole connection on each of its own. */
function describeError(error: unknown, depth = 1): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return {
    type: name,
    message,
    code,
    stack,
    ...(cause !== undefined && depth < 4 && { cause: describeError(cause, depth + 1) }),
  };
}

/** Lets Nest's own messages go the same way. They are about its inner life, so most of them are for debugging. */
export function nestLogger(log: Log): LoggerService {
  const text = (message: unknown, rest: readonly unknown[]): string => [message, ...rest].map(String).join(' ');
  return {
    log: (message, ...rest: unknown[]) => log.debug(text(message, rest)),
    debug: (message, ...rest: unknown[]) => log.debug(text(message, rest)),
    verbose: (message, ...rest: unknown[]) => log.trace(text(message, rest)),
    warn: (message, ...rest: unknown[]) => log.warn(text(message, rest)),
    error: (message, ...rest: unknown[]) => log.error(text(message, rest)),
    fatal: (message, ...rest: unknown[]) => log.fatal(text(message, rest)),
  };
}
