import type { Environment } from '../connection';
import { runCli } from '../run-cli';

/** A command that runs until it is stopped. */
export class RunningCommand {
  out = '';
  err = '';
  readonly ended: Promise<number>;
  private readonly interruption = new AbortController();
  private readonly watchers = new Set<() => void>();

  constructor(args: readonly string[], environment: Environment = {}) {
    this.ended = runCli(args, {
      environment: { FLORIN_DATA_DIR: `${__dirname}/no-such-folder`, ...environment },
      print: (text) => this.append(() => (this.out += `${text}\n`)),
      printError: (text) => this.append(() => (this.err += `${text}\n`)),
      interrupted: () => this.interruption.signal,
    });
  }

  /** Resolves once the output satisfies the condition. */
  until(isSatisfied: (command: RunningCommand) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isSatisfied(this)) return;
        this.watchers.delete(check);
        resolve();
      };
      this.watchers.add(check);
      check();
    });
  }

  /** Resolves to the exit code. */
  stop(): Promise<number> {
    this.interruption.abort();
    return this.ended;
  }

  private append(write: () => void): void {
    write();
    for (const check of this.watchers) check();
  }
}
