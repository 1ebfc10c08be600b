import { parseArgs } from 'node:util';
import { UsageError } from './cli-errors';
import { type Command, separator } from './command';
import { globalOptions } from './help';

export interface ParsedLine {
  /** Absent when the words call no command. */
  readonly command?: Command;
  readonly words: readonly string[];
  /** Arguments and options by name; a switch that was given has an empty text. */
  readonly given: ReadonlyMap<string, string>;
}

export function parseCommandLine(args: readonly string[], commands: readonly Command[]): ParsedLine {
  const { positionals, given } = readOptions(args, commands);
  const command = commands.find(({ words }) => isCalledBy(words, positionals));
  if (command === undefined) return { words: positionals, given };
  for (const name of given.keys()) {
    if (name in globalOptions || name in command.options) continue;
    throw new UsageError(`--${name} is not an option of ${command.words}; --help lists those it has`);
  }
  if (!given.has('help')) takeArguments(command, positionals.slice(command.words.split(' ').length), given);
  return { command, words: positionals, given };
}

/** An option is of the same kind wherever it occurs, so the line can be read before the command is known. */
function readOptions(args: readonly string[], commands: readonly Command[]) {
  const known = Object.assign({}, globalOptions, ...commands.map(({ options }) => options)) as typeof globalOptions;
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => {
      return [name, { type: value === undefined ? 'boolean' : 'string', multiple: true } as const];
    }),
  );
  const { positionals, values } = attempt(() => parseArgs({ args: [...args], options, allowPositionals: true }));
  const given = new Map<string, string>();
  for (const [name, [value, second] = []] of Object.entries(values)) {
    if (second !== undefined) throw new UsageError(`--${name} is given more than once; give it once`);
    given.set(name, typeof value === 'string' ? value : '');
  }
  return { positionals, given };
}

function attempt<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function isCalledBy(words: string, positionals: readonly string[]): boolean {
  return words.split(' ').every((word, index) => positionals[index] === word);
}

function takeArguments(command: Command, values: readonly string[], given: Map<string, string>): void {
  command.arguments.forEach((name, index) => {
    const value = values[index];
    if (!value) throw new UsageError(`${command.words} needs <${name}>; --help tells more`);
    given.set(name, value);
  });
  const rest = values.slice(command.arguments.length);
  if (command.repeated !== undefined) {
    if (rest.length > 0) given.set(command.repeated, rest.join(separator));
    return;
  }
  const [extra] = rest;
  if (extra !== undefined)
    throw new UsageError(
      `${command.words} does not know what to do with ${extra}; quote a text that has spaces, --help tells the options`,
    );
}
