import type { EventStore } from '../ports/event-store.port';

export interface EventStoreUnderTest {
  readonly store: EventStore;
  /** The same store as another process sees it, with connections of its own. */
  openAnother?(): Promise<EventStore>;
  /** Also closes whatever `openAnother` has opened. */
  close(): Promise<void>;
}

/** Two ways into one store; they are the same where the store lives in this process. */
export interface TwoDoors {
  readonly store: EventStore;
  readonly another: EventStore;
}
