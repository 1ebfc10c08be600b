import { setTimeout as delay } from 'node:timers/promises';
import type { Backoff, Position } from '@florin/event-sourcing';
import { Client, type ClientConfig } from 'pg';

export interface HeadFollowerOptions {
  readonly config: ClientConfig;
  readonly pollEveryMs: number;
  readonly backoff: Backoff;
  /** Own appends are known before the database tells of them. */
  readonly isOwnConnection: (processId: number) => boolean;
  readonly onHead: (head: Position) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Learns from the database how far the store reaches: by its notifications, and now and then by asking, lest a lost
 * notification delay anything for long. One connection for all the subscriptions of a process.
 */
export class HeadFollower {
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: HeadFollowerOptions) {}

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
        // A connection that is lost once is replaced quietly; what was missed shows as soon as the new one asks.
        if (failures > 1) onFailure(error);
        await backoff.wait(failures, this.closing.signal);
      }
    }
  }

  private async follow(onSuccess: () => void): Promise<void> {
    const client = new Client(this.options.config);
    const lost = new AbortController();
    const waking = AbortSignal.any([lost.signal, this.closing.signal]);
    // The next question fails when the connection is lost, and tells why.
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
