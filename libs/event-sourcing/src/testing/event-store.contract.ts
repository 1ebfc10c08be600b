import { type EventStore } from '../ports/event-store.port';
import { appendContract } from './event-store-append.contract';
import { readContract } from './event-store-read.contract';
import { subscribeContract } from './event-store-subscribe.contract';

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

/**
 * What every event store promises, whatever it is made of. Positions are only compared, never counted, because some
 * stores leave gaps. `makeStore` gives an empty store.
 */
export function eventStoreContract(name: string, makeStore: () => Promise<EventStoreUnderTest>): void {
  describe(`${name} keeps the contract of an event store`, () => {
    let underTest: EventStoreUnderTest;
    let doors: TwoDoors;

    beforeAll(async () => {
      underTest = await makeStore();
      const { store } = underTest;
      doors = { store, another: (await underTest.openAnother?.()) ?? store };
    });
    afterAll(() => underTest.close());

    describe('append', () => appendContract(() => doors));
    describe('read', () => readContract(() => doors, makeStore));
    describe('subscribe', () => subscribeContract(() => doors));
  });
}
