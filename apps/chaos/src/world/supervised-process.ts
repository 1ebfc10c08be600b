import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { problemsAt, type RunningProcess } from './composition';

export interface ProcessOptions {
  readonly name: string;
  readonly main: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (process: string, line: string) => void;
}

const startTimeoutMs = 60_000;
const restartAfterMs = [100, 500, 1_000, 2_000] as const;

/** A process that is started again whenever it ends by itself, as an orchestrator would. */
export class SupervisedProcess implements RunningProcess {
  private child: ChildProcess;
  private wanted = true;
  private endsInARow = 0;

  constructor(private readonly options: ProcessOptions) {
    this.child = this.launch();
  }

  get name(): string {
    return this.options.name;
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Ends in order and starts again. */
  async restart(): Promise<void> {
    this.wanted = false;
    await this.end('SIGTERM');
    this.wanted = true;
    this.child = this.launch();
    await this.untilReady();
  }

  async stop(): Promise<void> {
    this.wanted = false;
    await this.end('SIGTERM');
  }

  problems(): Promise<readonly string[]> {
    return problemsAt(this.options.name, this.options.url);
  }

  async untilReady(): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    for (;;) {
      const problems = await this.problems();
      if (problems.length === 0) {
        this.endsInARow = 0;
        return;
      }
      if (Date.now() > deadline) throw new Error(`${this.name} did not get ready: ${problems.join('; ')}`);
      await delay(100);
    }
  }

  private async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  private launch(): ChildProcess {
    const { name, main, env, onLine } = this.options;
    const { PATH, HOME, TMPDIR } = process.env;
    const child = spawn(process.execPath, [main], {
      env: { PATH, HOME, TMPDIR, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => onLine(name, line));
    }
    child.once('exit', (code, signal) => {
      onLine(name, `(ended with ${signal ?? `code ${code}`})`);
      if (this.wanted) void this.relaunch();
    });
    return child;
  }

  private async relaunch(): Promise<void> {
    await delay(restartAfterMs[Math.min(this.endsInARow++, restartAfterMs.length - 1)]);
    if (this.wanted) this.child = this.launch();
  }
}
