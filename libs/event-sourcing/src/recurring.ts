import { setTimeout as delay } from 'node:timers/promises';

/** A look that is repeated, with a pause before each, from `start` until `stop`. The look itself must not reject. */
export class Recurring {
  private stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly everyMs: number,
    private readonly look: () => Promise<void>,
  ) {}

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
      if (!signal.aborted) await this.look();
    }
  }
}
