import { setTimeout as delay } from 'node:timers/promises';
import type { ManagedProcess } from './managed-process';

export interface RunningServerOptions {
  /** For error messages, such as `The Kafka broker`. */
  readonly name: string;
  readonly process: ManagedProcess;
  /** Whether clients can connect; polled until they can. */
  readonly isReady: () => boolean | Promise<boolean>;
  /** Called when the server exits unexpectedly after it was ready. */
  readonly onExit: (error: Error) => void;
}

const pollMs = 50;
const readyTimeoutMs = 120_000;
const stopTimeoutMs = 20_000;

/** One run of a server in a separate process. */
export class RunningServer {
  private isStopping = false;

  private constructor(
    private readonly name: string,
    private readonly process: ManagedProcess,
  ) {}

  /** Resolves when clients can connect. Kills a server that is not ready in time. */
  static async start({ name, process, isReady, onExit }: RunningServerOptions): Promise<RunningServer> {
    const server = new RunningServer(name, process);
    await server.waitUntil(isReady);
    void process.exited.then((how) => {
      if (!server.isStopping) onExit(new Error(`${name} ${server.describeExit(how)}`));
    });
    return server;
  }

  get pid(): number {
    return this.process.pid as number;
  }

  get isRunning(): boolean {
    return this.process.isRunning;
  }

  /** Simulates a crash; resolves when the process has ended. */
  async kill(): Promise<void> {
    this.isStopping = true;
    await this.process.kill();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.process.stop(stopTimeoutMs);
  }

  private async waitUntil(isReady: RunningServerOptions['isReady']): Promise<void> {
    const deadline = Date.now() + readyTimeoutMs;
    while (!(await isReady())) {
      if (!this.process.isRunning) throw this.notStarted(this.describeExit(await this.process.exited));
      if (Date.now() > deadline) {
        await this.kill();
        const seconds = readyTimeoutMs / 1_000;
        throw this.notStarted(`was not ready after ${seconds} s. Its output:\n${this.process.recentOutput}`);
      }
      await Promise.race([delay(pollMs), this.process.exited]);
    }
  }

  private notStarted(reason: string): Error {
    return new Error(`${this.name} did not start: it ${reason}`);
  }

  private describeExit(how: string): string {
    return `exited with ${how}. Its output:\n${this.process.recentOutput}`;
  }
}
