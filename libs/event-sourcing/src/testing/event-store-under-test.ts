import type { EventStore } from '../ports/event-store.port';

export interface EventStoreUnderTest {
  readonly store: EventStore;
  /** The same store as another process sees it, with separate connections. */
  openAnother?(): Promise<EventStore>;
  /** Also closes the stores that `openAnother` has opened. */
  close(): Promise<void>;
}

/** Two connections to one store; identical if the store is in this process. */
export interface StorePair {
  readonly store: EventStore;
  readonly another: EventStore;
}
