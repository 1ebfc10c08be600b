import { ManagedProcess } from '@florin/dev-platform';
import { resolve } from 'node:path';
import { until } from './until';

const main = resolve(__dirname, '../../../cli/dist/main.js');

/** Processes that a failed test has not ended; Jest would wait for them. */
const running = new Set<ManagedProcess>();
afterAll(() => Promise.all([...running].map((child) => child.kill())));

/** `florin listen`, which runs until it is interrupted. */
export class ListenCommand {
  /** Its output, line by line. */
  readonly lines: string[] = [];
  private readonly stderr: string[] = [];
  private readonly process: ManagedProcess;

  private constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.process = new ManagedProcess({
      ...{ command: process.execPath, args: [main, 'listen', ...args], env: { PATH: process.env['PATH'], ...env } },
      onLine: (line, stream) => (stream === 'stdout' ? this.lines : this.stderr).push(line),
    });
    running.add(this.process);
    void this.process.exited.then(() => running.delete(this.process));
  }

  /** Waits until it listens or has exited. */
  static async start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ListenCommand> {
    const command = new ListenCommand(args, env);
    await until(
      'the command line listens',
      () => Promise.resolve(command.messages),
      (messages) => messages.includes('Listening') || !command.process.isRunning,
    );
    return command;
  }

  /** Its messages to the user, on stderr. */
  get messages(): string {
    return this.stderr.join('\n');
  }

  /** Sends SIGINT, as Ctrl+C does, and returns the exit code. */
  async interrupt(): Promise<number | null> {
    this.process.signal('SIGINT');
    await this.process.exited;
    return this.process.exitCode;
  }
}
