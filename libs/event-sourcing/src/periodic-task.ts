import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats `tick`, with a pause before each one, from `start` until `stop`. As a Nest provider it starts and stops with
 * the application.
 */
export abstract class PeriodicTask {
  private stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly everyMs: number) {}

  /** Does not reject: the next tick retries what has failed. */
  abstract tick(): Promise<void>;

  onApplicationBootstrap(): void {
    this.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  start(): void {
    this.running ??= this.run(this.stopping.signal);
  }

  /** Resolves after the tick in progress. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.stopping = new AbortController();
    this.running = undefined;
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.tick();
    }
  }
}
