import type { Command } from 'commander';
import { connect, type Environment } from './connection';
import type { FlorinClient } from './florin-client';

/** The process that a command line runs in. */
export interface Terminal {
  readonly environment: Environment;
  print(text: string): void;
  printError(text: string): void;
  /** Replaces the last line of stderr. Absent if stderr is not a terminal. */
  showStatus?(text: string): void;
  /** Aborts on SIGINT or SIGTERM. The signal itself ends a command that does not call this. */
  interrupted?(): AbortSignal;
}

export interface GlobalOptions {
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** What the action of a command works with. */
export class CliContext {
  /** 1 after a command that finished and found problems. */
  exitCode: 0 | 1 = 0;

  constructor(
    private readonly program: Command,
    private readonly terminal: Terminal,
  ) {}

  get options(): GlobalOptions {
    return this.program.opts<GlobalOptions>();
  }

  get environment(): Environment {
    return this.terminal.environment;
  }

  operatorApi(): FlorinClient {
    return connect(this.options, this.environment);
  }

  /** Prints the result as JSON with `--json`, otherwise as text. */
  output(result: unknown, text: string): void {
    this.print(this.options.json ? JSON.stringify(result, null, 2) : text);
  }

  print(text: string): void {
    this.terminal.print(text);
  }

  /** Progress goes to stderr: programs read only the result. */
  readonly report = (text: string): void => this.terminal.printError(text);

  /** Replaces the last line of a terminal. Returns false if stderr is not one. */
  readonly showStatus = (text: string): boolean => {
    if (this.terminal.showStatus === undefined) return false;
    this.terminal.showStatus(text);
    return true;
  };

  interrupted(): AbortSignal {
    return this.terminal.interrupted?.() ?? new AbortController().signal;
  }
}
