import { setTimeout as delay } from 'node:timers/promises';
import type { Backoff, Position } from '@florin/event-sourcing';
import { Client, type ClientConfig } from 'pg';

export interface HeadListenerOptions {
  readonly config: ClientConfig;
  readonly pollEveryMs: number;
  readonly backoff: Backoff;
  /** Own appends are known before the database reports them. */
  readonly isOwnConnection: (processId: number) => boolean;
  readonly onHead: (head: Position) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Follows the head of the log through database notifications, and polls occasionally in case one was lost. One
 * connection serves all subscriptions of a process.
 */
export class HeadListener {
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: HeadListenerOptions) {}

  start(): void {
    this.running ??= this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { backoff, onFailure } = this.options;
    for (let failures = 0; !this.closing.signal.aborted;) {
      try {
        await this.follow(() => (failures = 0));
      } catch (error) {
        failures += 1;
        // A connection that is lost once is replaced silently; the next poll finds what was missed.
        if (failures > 1) onFailure(error);
        await backoff.wait(failures, this.closing.signal);
      }
    }
  }

  private async follow(onSuccess: () => void): Promise<void> {
    const client = new Client(this.options.config);
    const lost = new AbortController();
    const waking = AbortSignal.any([lost.signal, this.closing.signal]);
    // The next query fails when the connection is lost, and reports the reason.
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    client.on('notification', ({ processId, payload }) => {
      if (!this.options.isOwnConnection(processId)) this.options.onHead(BigInt(payload ?? 0));
    });
    try {
      await client.connect();
      await client.query('LISTEN event_store');
      while (!this.closing.signal.aborted) {
        const { rows } = await client.query<{ head: string }>(
          'SELECT coalesce(max(position), 0) AS head FROM event_store.events',
        );
        this.options.onHead(BigInt(rows[0]!.head));
        onSuccess();
        await delay(this.options.pollEveryMs, undefined, { signal: waking }).catch(() => undefined);
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
