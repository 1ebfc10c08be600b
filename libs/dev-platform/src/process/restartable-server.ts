import type { RunningServer } from './running-server';

/** A server that can be stopped or killed, and started again on the same port and with the same data. */
export class RestartableServer {
  protected constructor(
    private running: RunningServer,
    private readonly startAgain: () => Promise<RunningServer>,
  ) {}

  get pid(): number {
    return this.running.pid;
  }

  /** Simulates a crash; resolves when the process has ended. */
  kill(): Promise<void> {
    return this.running.kill();
  }

  stop(): Promise<void> {
    return this.running.stop();
  }

  /** Starts it again after `kill()`, `stop()` or an unexpected exit. */
  async restart(): Promise<void> {
    if (this.running.isRunning) throw new Error('The server is still running; stop() or kill() it before restart().');
    this.running = await this.startAgain();
  }
}
