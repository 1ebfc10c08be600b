import { type EventStoreDBClient, START } from '@eventstore/db-client';
import { identityStream, type KnownStore, type Position } from '@florin/event-sourcing';
import { NoResponse } from './append-failures';
import { inTime } from './in-time';
import { atLeader } from './open-streams';

/** For a few small calls. */
const maxTimeoutMs = 2_000;

/** What is behind a connection must be the known store. */
export interface StoreKnowledge {
  readonly known: KnownStore;
  /** The furthest position that any process has read: one that has read less would take an older copy for the known store. */
  readonly furthestPosition?: () => Promise<Position>;
}

/**
 * Confirms that the server at the other end of a connection has the known store, before the connection is used. The client
 * reconnects by itself and does not report it. So a subscription is kept open on the connection: as long as it is not broken, the
 * connection is the one that was confirmed.
 */
export class ConnectionGuard {
  private watched: Watched | undefined;
  private running: Promise<void> | undefined;

  private readonly timeoutMs: number;

  constructor(
    private readonly store: StoreKnowledge & { readonly appendTimeoutMs: number },
    /** Rejects with `EventStoreMismatch` unless the known store is behind the connection of this client. */
    private readonly requireKnown: (client: EventStoreDBClient) => Promise<void>,
  ) {
    this.timeoutMs = Math.min(store.appendTimeoutMs, maxTimeoutMs);
  }

  /** Rejects with `EventStoreMismatch` if the server has another store. */
  async confirm(client: EventStoreDBClient): Promise<void> {
    while (this.store.known.isExpected && !this.isConfirmed(client)) {
      this.running ??= this.check(client).finally(() => (this.running = undefined));
      await this.running;
    }
  }

  /** The next call confirms the connection again. */
  forget(): void {
    this.watched?.end();
    this.watched = undefined;
  }

  private isConfirmed(client: EventStoreDBClient): boolean {
    return this.watched?.client === client && this.watched.isAlive;
  }

  private async check(client: EventStoreDBClient): Promise<void> {
    this.forget();
    const watched = new Watched(client);
    try {
      const isKnown = Promise.all([watched.opened, this.learn()]).then(() => this.requireKnown(client));
      await inTime(isKnown, this.timeoutMs);
      if (!watched.isAlive) throw new NoResponse('The connection broke before the event store was identified');
      this.watched = watched;
    } catch (error) {
      watched.end();
      throw error;
    }
  }

  private async learn(): Promise<void> {
    const { known, furthestPosition } = this.store;
    if (furthestPosition !== undefined) known.saw(await furthestPosition());
  }
}

/** A subscription that breaks together with its connection. */
class Watched {
  isAlive = true;
  readonly opened: Promise<void>;
  private readonly subscription;

  constructor(readonly client: EventStoreDBClient) {
    this.subscription = client.subscribeToStream(identityStream, { fromRevision: START, ...atLeader });
    this.opened = new Promise((resolve, reject) => {
      this.subscription.on('confirmation', () => resolve());
      const fail = (error: Error): void => {
        this.isAlive = false;
        reject(error);
      };
      this.subscription.on('error', fail);
      this.subscription.on('end', () =>
        fail(new NoResponse('The server ended the subscription that watches the connection')),
      );
    });
    this.opened.catch(() => undefined);
    // Without a reader, an error is reported only after the events before it were read.
    this.subscription.on('data', () => undefined);
  }

  end(): void {
    this.isAlive = false;
    this.subscription.unsubscribe().catch(() => undefined);
  }
}
