import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const ROOT = join(__dirname, '../../../../..');

/** Runs `npm run kafka` without npm: the compiled program, in a process group of its own as a terminal would. */
export class MainProcess {
  private readonly lines: string[] = [];
  private readonly complaints: Promise<string>;
  private readonly exit: Promise<unknown[]>;

  private constructor(readonly child: ChildProcess) {
    if (!child.stdout || !child.stderr) throw new Error('The output of the program is not within reach.');
    this.exit = once(child, 'close');
    this.complaints = text(child.stderr);
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.lines.push(line);
      child.emit('printed');
    });
  }

  static start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): MainProcess {
    const main = join(ROOT, 'libs/adapters/kafka-broker/dist/main.js');
    return new MainProcess(
      spawn(process.execPath, [main, ...args], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  /** Resolves with the address that clients are told. */
  async ready(): Promise<string> {
    const address = /KAFKA_BROKERS=([\d.:]+)\./;
    while (!address.test(this.printed)) {
      const gone = this.ended().then(({ complaints }) => Promise.reject(new Error(complaints)));
      await Promise.race([once(this.child, 'printed'), gone]);
    }
    return address.exec(this.printed)?.[1] as string;
  }

  get printed(): string {
    return this.lines.join('\n');
  }

  /** What Ctrl-C does. */
  interrupt(): void {
    process.kill(-(this.child.pid as number), 'SIGINT');
  }

  async ended(): Promise<{ code: number | null; printed: string; complaints: string }> {
    await this.exit;
    return { code: this.child.exitCode, printed: this.printed, complaints: await this.complaints };
  }
}
