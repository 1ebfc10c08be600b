import { setTimeout } from 'node:timers/promises';
import type { CliContext } from './cli-context';
import { CommandFailed } from './cli-errors';

const maxAttempts = 10;

/** Repeats a read while Florin limits the rate or is unavailable, after the time that it asks for. */
export async function whileBusy<Response>(context: CliContext, read: () => Promise<Response>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      const seconds = attempt < maxAttempts ? retryAfterOf(error) : undefined;
      if (seconds === undefined) throw error;
      context.report(`${(error as Error).message} Retrying in ${seconds} s.`);
      await setTimeout(seconds * 1_000);
    }
  }
}

/** Undefined for errors that remain. */
function retryAfterOf(error: unknown): number | undefined {
  if (!(error instanceof CommandFailed)) return undefined;
  const { statusCode, retryAfterSeconds = 1 } = error.details as { statusCode?: number; retryAfterSeconds?: number };
  return statusCode === 429 || statusCode === 503 ? Math.min(retryAfterSeconds, 60) : undefined;
}
