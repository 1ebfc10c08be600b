import { setTimeout as delay } from 'node:timers/promises';

/** Work that runs from `start` until `stop`. As a Nest provider it starts and stops with the application. */
export abstract class BackgroundTask {
  private stopping = new AbortController();
  private running: Promise<void> | undefined;

  onApplicationBootstrap(): void {
    this.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  start(): void {
    this.running ??= this.run(this.stopping.signal);
  }

  /** Resolves when the work has ended. It can be started again. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    this.stopping = new AbortController();
    this.running = undefined;
  }

  /** Works until the signal aborts. Does not reject. */
  protected abstract run(signal: AbortSignal): Promise<void>;
}

/** Repeats `tick`, with a pause before each one. A stop waits for the tick in progress. */
export abstract class PeriodicTask extends BackgroundTask {
  constructor(private readonly everyMs: number) {
    super();
  }

  /** Does not reject: the next tick retries what has failed. */
  abstract tick(): Promise<void>;

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.tick();
    }
  }
}
