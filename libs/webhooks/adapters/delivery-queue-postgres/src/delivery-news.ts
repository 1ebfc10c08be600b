import { exponentialBackoff } from '@florin/event-sourcing';
import { Client, type ClientConfig } from 'pg';

const firstPauseMs = 200;
const longestPauseMs = 10_000;

/**
 * Hears on a connection of its own when deliveries were added. One that is lost is replaced quietly: whoever waits for
 * news also looks by itself every few seconds.
 */
export class DeliveryNews {
  private readonly closing = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    private readonly connection: ClientConfig,
    private readonly onNews: () => void,
  ) {
    this.running = this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    const backoff = exponentialBackoff(firstPauseMs, longestPauseMs);
    for (let failures = 0; !signal.aborted;) {
      failures = await this.follow().then(
        () => 1,
        () => failures + 1,
      );
      await backoff.wait(failures, signal);
    }
  }

  /** Ends when the connection does, and rejects where there was none. */
  private async follow(): Promise<void> {
    const client = new Client({ ...this.connection, application_name: 'florin webhook news' });
    const lost = new AbortController();
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    client.on('notification', () => this.onNews());
    try {
      await client.connect();
      await client.query('LISTEN webhook_deliveries');
      // What came while there was no connection.
      this.onNews();
      await aborted(AbortSignal.any([lost.signal, this.closing.signal]));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
