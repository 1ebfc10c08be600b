import { CommanderError } from 'commander';
import { CommandFailed, CouldNotRun, UsageError } from './cli-errors';
import type { Terminal } from './cli-context';
import { createProgram } from './program';

/**
 * Runs one command line. Returns 0 on success, 1 if the command failed or found problems, 2 on wrong usage, 3 if it could not
 * run.
 */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<0 | 1 | 2 | 3> {
  const { command, context } = createProgram(terminal);
  try {
    await command.parseAsync(args, { from: 'user' });
    return context.exitCode;
  } catch (thrown) {
    const error = asCliError(thrown);
    if (error === undefined) return 0;
    const hint = error instanceof UsageError && error.hint !== undefined ? `${error.hint}\n` : '';
    terminal.printError(args.includes('--json') ? errorJson(error) : `${hint}Error: ${error.message}`);
    if (error instanceof UsageError) return 2;
    return error instanceof CouldNotRun ? 3 : 1;
  }
}

/** Commander also ends help and version with an exception; these are no errors. */
function asCliError(thrown: unknown): UsageError | CommandFailed | undefined {
  if (thrown instanceof UsageError || thrown instanceof CommandFailed) return thrown;
  if (!(thrown instanceof CommanderError)) throw thrown;
  if (thrown.exitCode === 0) return undefined;
  return new UsageError('missing command');
}

function errorJson(error: UsageError | CommandFailed): string {
  const details = error instanceof CommandFailed ? error.details : {};
  return JSON.stringify({ error: { message: error.message, ...details } }, null, 2);
}
