import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { until } from './until';

const main = resolve(__dirname, '../../../cli/dist/main.js');

/** What has been started and not ended: it would keep the whole run from ending. */
const running = new Set<ChildProcess>();
afterAll(() => running.forEach((child) => child.kill('SIGKILL')));

/** The command line at work until it is interrupted, as in somebody's terminal. */
export class ListenCommand {
  private readonly printed: string[] = [];
  private readonly remarks: string[] = [];

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.printed.push(text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.remarks.push(text));
  }

  /** Waits until it has begun. */
  static async start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ListenCommand> {
    const child = spawn(process.execPath, [main, 'listen', ...args], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const listening = new ListenCommand(child);
    running.add(child);
    child.once('exit', () => running.delete(child));
    await until(
      'the command line listens',
      () => Promise.resolve(listening.said),
      (said) => said.includes('Listening') || child.exitCode !== null,
      30_000,
    );
    return listening;
  }

  /** What it says beside its output. */
  get said(): string {
    return this.remarks.join('');
  }

  /** Its output, line by line. */
  get lines(): readonly string[] {
    return this.printed.join('').split('\n').slice(0, -1);
  }

  /** Ends it as Ctrl+C does, and gives its exit code. */
  async interrupt(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGINT');
    await ended;
    return this.child.exitCode;
  }
}
