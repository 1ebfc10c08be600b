import { CommandFailed, UsageError } from './cli-errors';
import { type Command, CommandInput } from './command';
import { connect, type Environment } from './connection';
import { helpOn, overview } from './help';
import type { OperatorApi } from './operator-api';
import { parseCommandLine } from './parse-command-line';

/** The outside world of a command line. */
export interface Surroundings {
  readonly environment: Environment;
  print(text: string): void;
  complain(text: string): void;
  /** Aborts when the user wants to stop. Commands that do not ask for it are simply ended by the terminal. */
  interrupted?(): AbortSignal;
}

/**
 * Runs one command line and gives the exit code: 0 when done, 1 when that failed or found something wrong, 2 when it was
 * called wrongly.
 */
export async function runCli(
  args: readonly string[],
  commands: readonly Command[],
  surroundings: Surroundings,
): Promise<0 | 1 | 2> {
  try {
    return (await runLine(args, commands, surroundings)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof CommandFailed)) throw error;
    surroundings.complain(args.includes('--json') ? errorJson(error) : `Error: ${error.message}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** True when all is well. */
async function runLine(
  args: readonly string[],
  commands: readonly Command[],
  { environment, print, complain, interrupted = () => new AbortController().signal }: Surroundings,
): Promise<boolean> {
  const { command, words, given } = parseCommandLine(args, commands);
  const printed = (text: string): true => {
    print(text);
    return true;
  };
  if (command === undefined) {
    const group = commands.filter((candidate) => candidate.words.startsWith(`${words[0]} `));
    const relevant = group.length > 0 ? group : commands;
    if (given.has('help') && words.length < 2) return printed(overview(relevant));
    const problem = words.length === 0 ? 'Which command?' : `There is no command \`${words.join(' ')}\`.`;
    throw new UsageError(`${problem}\n\n${overview(relevant)}`);
  }
  if (given.has('help')) return printed(helpOn(command));
  const open = (): OperatorApi => connect(given.get('url'), given.get('token'), environment);
  const input = new CommandInput(given, open, environment, complain, { print, interrupted });
  const output = await command.run(input);
  if (output === undefined) return true;
  print(given.has('json') ? JSON.stringify(output.answer, null, 2) : output.text);
  return output.isBad !== true;
}

function errorJson(error: UsageError | CommandFailed): string {
  const details = error instanceof CommandFailed ? error.details : {};
  return JSON.stringify({ error: { message: error.message, ...details } }, null, 2);
}
