import { setTimeout as delay } from 'node:timers/promises';

/**
 * A look that is repeated, with a pause before each, from `start` until `stop`. As a provider of an application it starts
 * and ends with it: the two hooks have the names that Nest calls.
 */
export abstract class PeriodicTask {
  private stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly everyMs: number) {}

  /** One look. It does not reject: whatever fails is found again by the next one. */
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

  /** Ends after the look under way. */
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
