import { appendContract } from './event-store-append.contract';
import { readContract } from './event-store-read.contract';
import { subscribeContract } from './event-store-subscribe.contract';
import type { EventStoreUnderTest, TwoDoors } from './event-store-under-test';

/**
 * The contract of every event store. Positions are only compared, never counted, because some stores have gaps.
 * `makeStore` returns an empty store.
 */
export function eventStoreContract(name: string, makeStore: () => Promise<EventStoreUnderTest>): void {
  describe(`${name} as an event store`, () => {
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
