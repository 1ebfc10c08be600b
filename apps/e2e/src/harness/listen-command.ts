import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { until } from './until';

const main = resolve(__dirname, '../../../cli/dist/main.js');

/** Processes that a failed test has not ended; Jest would wait for them. */
const running = new Set<ChildProcess>();
afterAll(() => running.forEach((child) => child.kill('SIGKILL')));

/** `florin listen`, which runs until it is interrupted. */
export class ListenCommand {
  private readonly stdout: string[] = [];
  private readonly stderr: string[] = [];

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.stdout.push(text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.stderr.push(text));
  }

  /** Waits until it listens or has exited. */
  static async start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ListenCommand> {
    const child = spawn(process.execPath, [main, 'listen', ...args], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const command = new ListenCommand(child);
    running.add(child);
    child.once('exit', () => running.delete(child));
    await until(
      'the command line listens',
      () => Promise.resolve(command.messages),
      (messages) => messages.includes('Listening') || child.exitCode !== null,
    );
    return command;
  }

  /** Its messages to the user, on stderr. */
  get messages(): string {
    return this.stderr.join('');
  }

  /** Its output, line by line. */
  get lines(): readonly string[] {
    return this.stdout.join('').split('\n').slice(0, -1);
  }

  /** Sends SIGINT, as Ctrl+C does, and returns the exit code. */
  async interrupt(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGINT');
    await ended;
    return this.child.exitCode;
  }
}
