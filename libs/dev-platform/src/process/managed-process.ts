import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

export interface ManagedProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /**
   * Starts it in a separate process group. Ctrl-C signals the whole foreground group; a child that its parent stops in
   * order must not receive that signal.
   */
  readonly detached?: boolean;
  readonly onLine?: (line: string, stream: OutputStream) => void;
}

export type OutputStream = 'stdout' | 'stderr';

const recentLines = 20;

/** A child process: its output line by line, its end, and a stop that always comes to an end. */
export class ManagedProcess {
  /** Undefined when the system could not create the process. */
  readonly pid: number | undefined;
  /** Resolves when it has ended and its output was read, with how it ended: `code 1`, `SIGKILL`, or an error message. */
  readonly exited: Promise<string>;
  private readonly child: ChildProcess;
  private readonly recent: string[] = [];
  private hasExited = false;

  constructor({ command, args, env, cwd, detached = false, onLine = () => undefined }: ManagedProcessOptions) {
    const options = { env, cwd, detached, stdio: ['ignore', 'pipe', 'pipe'] as const };
    this.child = spawn(command, [...args], { ...options, stdio: [...options.stdio] });
    this.pid = this.child.pid;
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => resolve(signal ?? `code ${code}`));
      this.child.once('error', (error) => resolve(error.message));
    });
    void this.exited.then(() => (this.hasExited = true));
    for (const stream of ['stdout', 'stderr'] as const) {
      createInterface({ input: this.child[stream]! }).on('line', (line) => {
        this.remember(line);
        onLine(line, stream);
      });
    }
  }

  get isRunning(): boolean {
    return !this.hasExited && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Null while it runs, and when a signal ended it. */
  get exitCode(): number | null {
    return this.child.exitCode;
  }

  /** The last lines it printed, for error messages. */
  get recentOutput(): string {
    return this.recent.join('\n') || '(nothing)';
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** Sends SIGTERM, and SIGKILL after the timeout. Resolves with whether it stopped in time. */
  async stop(timeoutMs: number): Promise<boolean> {
    this.signal('SIGTERM');
    if (await this.exitsWithin(timeoutMs)) return true;
    await this.kill();
    return false;
  }

  async exitsWithin(timeoutMs: number): Promise<boolean> {
    const timer = new AbortController();
    const timeout = delay(timeoutMs, false, { signal: timer.signal }).catch(() => false);
    const inTime = await Promise.race([this.exited.then(() => true), timeout]);
    timer.abort();
    return inTime;
  }

  private remember(line: string): void {
    this.recent.push(line);
    if (this.recent.length > recentLines) this.recent.shift();
  }
}
