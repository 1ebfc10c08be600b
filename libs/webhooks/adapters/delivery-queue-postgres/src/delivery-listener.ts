import { exponentialBackoff } from '@florin/event-sourcing';
import { Client, type ClientConfig } from 'pg';

const firstPauseMs = 200;
const maxPauseMs = 10_000;

/**
 * Listens for added deliveries on a separate connection. A lost connection is replaced without an error, because the
 * dispatcher also polls every few seconds.
 */
export class DeliveryListener {
  private readonly closing = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    private readonly connection: ClientConfig,
    private readonly onDeliveriesAdded: () => void,
  ) {
    this.running = this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    const backoff = exponentialBackoff(firstPauseMs, maxPauseMs);
    for (let failures = 0; !signal.aborted;) {
      failures = await this.listen().then(
        () => 1,
        () => failures + 1,
      );
      await backoff.wait(failures, signal);
    }
  }

  /** Resolves when the connection ends and rejects when it cannot be opened. */
  private async listen(): Promise<void> {
    const client = new Client({ ...this.connection, application_name: 'florin webhook listener' });
    const lost = new AbortController();
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    client.on('notification', () => this.onDeliveriesAdded());
    try {
      await client.connect();
      await client.query('LISTEN webhook_deliveries');
      // Deliveries may have been added while there was no connection.
      this.onDeliveriesAdded();
      await aborted(AbortSignal.any([lost.signal, this.closing.signal]));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
