import { commands } from '../commands';
import type { Environment } from '../connection';
import { runCli } from '../run-cli';

/** A command line that goes on until it is told to stop. */
export class RunningLine {
  out = '';
  err = '';
  readonly ended: Promise<number>;
  private readonly wish = new AbortController();
  private readonly watchers = new Set<() => void>();

  constructor(args: readonly string[], environment: Environment = {}) {
    this.ended = runCli(args, commands, {
      environment: { FLORIN_DATA_DIR: `${__dirname}/no-such-folder`, ...environment },
      print: (text) => this.note(() => (this.out += `${text}\n`)),
      complain: (text) => this.note(() => (this.err += `${text}\n`)),
      interrupted: () => this.wish.signal,
    });
  }

  /** Resolves once what was written fits. */
  until(fits: (line: RunningLine) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!fits(this)) return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
      look();
    });
  }

  /** The exit code. */
  stop(): Promise<number> {
    this.wish.abort();
    return this.ended;
  }

  private note(write: () => void): void {
    write();
    for (const look of this.watchers) look();
  }
}
