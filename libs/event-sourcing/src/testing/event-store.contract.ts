import { appendContract } from './event-store-append.contract';
import { readContract } from './event-store-read.contract';
import { subscribeContract } from './event-store-subscribe.contract';
import type { EventStoreUnderTest, StorePair } from './event-store-under-test';

/**
 * The contract of every event store. Positions are only compared, never counted, because some stores have gaps.
 * `makeStore` returns an empty store.
 */
export function eventStoreContract(name: string, makeStore: () => Promise<EventStoreUnderTest>): void {
  describe(`${name} as an event store`, () => {
    let underTest: EventStoreUnderTest;
    let stores: StorePair;

    beforeAll(async () => {
      underTest = await makeStore();
      const { store } = underTest;
      stores = { store, another: (await underTest.openAnother?.()) ?? store };
    });
    afterAll(() => underTest.close());

    describe('append', () => appendContract(() => stores));
    describe('read', () => readContract(() => stores, makeStore));
    describe('subscribe', () => subscribeContract(() => stores));
  });
}
