import { UsageError } from './cli-errors';
import type { Environment } from './connection';
import type { OperatorApi } from './operator-api';

export interface CommandOption {
  readonly description: string;
  /** How help names the value. An option without one is a switch. */
  readonly value?: string;
}

export interface Command {
  /** The words that call it, such as `companies create`. */
  readonly words: string;
  readonly summary: string;
  /** What only its own help has room for. */
  readonly details?: string;
  /** The names of what follows the words, all of it required. */
  readonly arguments: readonly string[];
  /** The name of what may follow these any number of times, also not at all. */
  readonly repeated?: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Nothing is left to print when it ends without a result. */
  run(input: CommandInput): Promise<CommandOutput | undefined>;
}

/** The same result twice: as the server gave it, for programs, and as a text for people. */
export interface CommandOutput {
  readonly answer: unknown;
  readonly text: string;
  /** The command has done its work, but what it found is not as it should be: the exit code tells so. */
  readonly isBad?: boolean;
}

/** For what goes on until somebody has seen enough. */
export interface Session {
  print(text: string): void;
  /** Aborts when somebody wants the command to end; asking for it is the promise to end then. */
  interrupted(): AbortSignal;
}

/** Between the values of a repeated argument. No word of a command line can have it. */
export const separator = '\0';

/** What was typed after the words of the command, and what it may work with. */
export class CommandInput {
  constructor(
    private readonly given: ReadonlyMap<string, string>,
    private readonly openApi: () => OperatorApi,
    readonly environment: Environment = {},
    /** Tells people how far long work has got; programs read only the result. */
    readonly report: (text: string) => void = () => undefined,
    readonly session: Session = { print: () => undefined, interrupted: () => AbortSignal.abort() },
  ) {}

  get api(): OperatorApi {
    return this.openApi();
  }

  has(name: string): boolean {
    return this.given.has(name);
  }

  /** An argument, or an option that the command cannot do without. */
  text(name: string): string {
    const value = this.given.get(name)?.trim();
    if (!value) throw new UsageError(`--${name} is missing; --help tells what it takes`);
    return value;
  }

  /** All that was given of the command's repeated argument. */
  list(name: string): readonly string[] {
    return this.given.get(name)?.split(separator) ?? [];
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.text(name);
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new UsageError(`--${name} must be ${choices.join(' or ')}, not ${value}`);
    return choice;
  }
}
