import { EventStoreDBClient } from '@eventstore/db-client';

/** A client that is replaced when the server does not respond: the server may be frozen, or no longer the leader. */
export class RenewableClient {
  private client: EventStoreDBClient;
  private users = 0;
  private renewal: Promise<void> = Promise.resolve();

  constructor(
    private readonly connectionString: string,
    private readonly onClose: () => void = () => undefined,
  ) {
    this.client = this.create();
  }

  async current(): Promise<EventStoreDBClient> {
    for (let renewal: Promise<void> | undefined; renewal !== this.renewal;) {
      renewal = this.renewal;
      await renewal;
    }
    return this.client;
  }

  isCurrent(client: EventStoreDBClient): boolean {
    return client === this.client;
  }

  /** Returns whether it is the current one. */
  renew(failed: EventStoreDBClient): boolean {
    if (failed !== this.client) return false;
    this.client = this.create();
    // No append may begin before those of the old client are settled.
    this.renewal = this.renewal.then(() => failed.dispose());
    return true;
  }

  use(): this {
    this.users += 1;
    return this;
  }

  /** The last user closes it. */
  async release(): Promise<void> {
    this.users -= 1;
    if (this.users > 0) return;
    this.onClose();
    await this.renewal;
    await this.client.dispose();
  }

  private create(): EventStoreDBClient {
    return createClient(this.connectionString);
  }
}

const writers = new Map<string, RenewableClient>();

/** The client for all appends of this process to a server. */
export function sharedWriter(connectionString: string): RenewableClient {
  const known = writers.get(connectionString);
  if (known !== undefined) return known.use();
  const writer = new RenewableClient(connectionString, () => writers.delete(connectionString));
  writers.set(connectionString, writer);
  return writer.use();
}

export function createClient(connectionString: string): EventStoreDBClient {
  return EventStoreDBClient.connectionString(inOldSpelling(connectionString));
}

/** KurrentDB, the successor, uses its own URL schemes, which this client does not know. The rest is identical. */
function inOldSpelling(connectionString: string): string {
  return connectionString.replace(/^(kurrentdb|kurrent|kdb)(\+discover)?:/, 'esdb$2:');
}
