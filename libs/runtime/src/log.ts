import type { LoggerService } from '@nestjs/common';
import { destination, type DestinationStream, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { redactSecrets } from './redact-secrets';

export type Log = Logger;

/** Readable lines on a terminal, else JSON lines that are written in batches. */
function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return terminalOutput((text) => void process.stdout.write(text));
  return destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 200 });
}

/** Synchronous, so that the last line before an exit is not lost. */
export function terminalOutput(write: (text: string) => void): DestinationStream {
  const prettify = prettyFactory({ colorize: true, singleLine: true, translateTime: 'SYS:HH:MM:ss' });
  return { write: (line) => write(prettify(line)) };
}

/** A line about a request gets the request id as data: an ambient context would slow down every request. */
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

/** Without the other properties of the error: a database driver attaches a whole connection to each of its errors. */
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

/** Sends Nest's messages to the same log. Its informational messages are about internals, so they become debug lines. */
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
