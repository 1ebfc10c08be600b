import { join } from 'node:path';
import { ManagedProcess } from '../process/managed-process';

const ROOT = join(__dirname, '../../../..');

/** Runs `npm run kafka` without npm: the compiled program, in its own process group as in a terminal. */
export class KafkaMain {
  private readonly lines: { readonly stdout: string[]; readonly stderr: string[] } = { stdout: [], stderr: [] };
  private readonly process: ManagedProcess;
  private onOutput: () => void = () => undefined;

  private constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    const main = join(ROOT, 'libs/dev-platform/dist/kafka/main.js');
    this.process = new ManagedProcess({
      command: process.execPath,
      args: [main, ...args],
      env,
      detached: true,
      onLine: (line, stream) => {
        this.lines[stream].push(line);
        this.onOutput();
      },
    });
  }

  static start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): KafkaMain {
    return new KafkaMain(args, env);
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** Resolves with the address that it prints for clients. */
  async ready(): Promise<string> {
    const address = /KAFKA_BROKERS=([\d.:]+)\./;
    const exited = this.exited().then(({ errors }) => Promise.reject(new Error(errors)));
    while (!address.test(this.output)) {
      await Promise.race([new Promise<void>((resolve) => (this.onOutput = resolve)), exited]);
    }
    exited.catch(() => undefined);
    return address.exec(this.output)?.[1] as string;
  }

  get output(): string {
    return this.lines.stdout.join('\n');
  }

  /** Does what Ctrl-C does. */
  interrupt(): void {
    process.kill(-this.pid, 'SIGINT');
  }

  kill(): Promise<void> {
    return this.process.kill();
  }

  async exited(): Promise<{ code: number | null; output: string; errors: string }> {
    await this.process.exited;
    const errors = this.lines.stderr.map((line) => `${line}\n`).join('');
    return { code: this.process.exitCode, output: this.output, errors };
  }
}
