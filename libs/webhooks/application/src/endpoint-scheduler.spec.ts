import type { ClaimedDelivery } from './delivery-queue.port';
import { EndpointScheduler, type AttemptSlot } from './endpoint-scheduler';

const deliveryTo = (endpointId: string): ClaimedDelivery => ({
  ...{ id: '', eventId: 'evt_', endpointId, accountId: '', environment: 'sandbox', url: '', body: '' },
  ...{ secrets: [], revision: 0, attempts: 0, claim: '', claimedUntil: new Date(0) },
});

/** A scheduler with `counts` deliveries per endpoint, and a function that acquires all free slots. */
function schedulerOf(counts: Readonly<Record<string, number>>, limits = { slots: 8, perEndpoint: 4 }) {
  const scheduler = new EndpointScheduler(limits);
  for (const [endpointId, count] of Object.entries(counts)) {
    for (let index = 0; index < count; index++) scheduler.add(deliveryTo(endpointId));
  }
  const acquireAll = (): AttemptSlot[] => {
    const slots: AttemptSlot[] = [];
    for (let slot = scheduler.acquire(); slot; slot = scheduler.acquire()) slots.push(slot);
    return slots;
  };
  return { scheduler, acquireAll };
}

const namesOf = (slots: readonly AttemptSlot[]): string => slots.map(({ delivery }) => delivery.endpointId).join('');

describe('EndpointScheduler', () => {
  it('starts with one attempt per endpoint and doubles with each success up to the limit', () => {
    const { acquireAll } = schedulerOf({ a: 30 });
    let slots = acquireAll();
    const concurrencies = [];
    for (; concurrencies.length < 5; slots = acquireAll()) {
      concurrencies.push(slots.length);
      for (const slot of slots) slot.release(true);
    }
    expect(concurrencies).toEqual([1, 2, 4, 4, 4]);
  });

  it('serves endpoints in round-robin order when one of them has many deliveries', () => {
    const { acquireAll } = schedulerOf({ a: 100, b: 3, c: 3 }, { slots: 3, perEndpoint: 4 });
    const order = [];
    for (let slots = acquireAll(); order.length < 9; slots = acquireAll()) {
      order.push(...namesOf(slots));
      for (const slot of slots) slot.release(true);
    }
    expect([...order].sort().join('')).toBe('aaabbbccc');
  });

  it('remembers a limited number of failed endpoints, the latest ones', () => {
    const { scheduler, acquireAll } = schedulerOf({});
    for (let number = 0; number < 3_000; number++) {
      scheduler.add(deliveryTo(`${number}`));
      for (const slot of acquireAll()) slot.release(false);
    }
    expect(scheduler.size).toBe(2_000);
    // A struggling endpoint has a small buffer.
    expect(scheduler.capacityOf('2999')).toBeLessThan(scheduler.capacityOf('0'));
    scheduler.add(deliveryTo('2999'));
    for (const slot of acquireAll()) slot.release(true);
    expect(scheduler.size).toBe(1_999);
  });

  it('reduces the concurrency to one after a failure', () => {
    const { acquireAll } = schedulerOf({ a: 30 });
    for (let round = 0; round < 3; round++) for (const slot of acquireAll()) slot.release(true);
    const [failed, ...others] = acquireAll();
    failed!.release(false);
    expect(acquireAll()).toEqual([]);
    for (const slot of others) slot.release(false);
    expect(acquireAll()).toHaveLength(1);
  });

  it('keeps slots free for healthy endpoints when many others hang', () => {
    const hanging = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`hanging ${index}`, 5]));
    const { scheduler, acquireAll } = schedulerOf(hanging);
    const found: AttemptSlot[] = [];
    for (let slots = acquireAll(); slots.length > 0; slots = acquireAll()) {
      for (const slot of slots) slot.markSlow();
      found.push(...slots);
    }
    // Each was tried once, and none occupies a slot of healthy endpoints.
    expect(found).toHaveLength(50);
    for (let index = 0; index < 8; index++) scheduler.add(deliveryTo(`healthy ${index}`));
    expect(acquireAll()).toHaveLength(8);
  });

  it('retries failed endpoints in a limited number of slots', () => {
    const { acquireAll } = schedulerOf({ a: 3, b: 3, c: 3, d: 3 });
    for (const slot of acquireAll()) slot.release(false);
    const few = acquireAll();
    expect(few).toHaveLength(2);
    for (const slot of few) slot.release(true);
    // Those two are healthy again and have left their slots to the others.
    expect(namesOf(acquireAll())).toBe('abcd');
  });

  it('has capacity when half of the buffer is free, and little capacity for failing endpoints', () => {
    const { scheduler, acquireAll } = schedulerOf({ a: 64 });
    expect([scheduler.capacityOf('a'), scheduler.capacityOf('unknown')]).toEqual([0, 64]);
    let done = 0;
    for (; scheduler.capacityOf('a') === 0; done++) acquireAll()[0]!.release(true);
    expect([done, scheduler.capacityOf('a')]).toEqual([32, 32]);
    acquireAll()[0]!.release(false);
    expect(scheduler.capacityOf('a')).toBe(0);
  });

  it('does not change the health of an endpoint for a delivery that was not sent', () => {
    const { scheduler, acquireAll } = schedulerOf({ a: 3 });
    acquireAll()[0]!.release();
    expect(acquireAll()).toHaveLength(1);
    expect(scheduler.isIdle).toBe(false);
  });

  it('drops the waiting deliveries of one endpoint and serves the others', () => {
    const { scheduler, acquireAll } = schedulerOf({ a: 5, b: 2 });
    const slots = acquireAll();
    expect([scheduler.drop('a').length, scheduler.drop('a').length, scheduler.drop('unknown').length]).toEqual([
      4, 0, 0,
    ]);
    for (const slot of slots) slot.release(true);
    const [last, ...others] = acquireAll();
    expect([last!.delivery.endpointId, others.length]).toEqual(['b', 0]);
    last!.release(true);
    expect([scheduler.isIdle, scheduler.capacityOf('a')]).toEqual([true, 64]);
  });

  it('clears all waiting deliveries and is idle when no attempt is in flight', () => {
    const { scheduler, acquireAll } = schedulerOf({ a: 5, b: 5 });
    const slots = acquireAll();
    expect(scheduler.clear()).toHaveLength(8);
    expect(scheduler.isIdle).toBe(false);
    for (const slot of slots) slot.release(true);
    expect([scheduler.isIdle, acquireAll().length]).toEqual([true, 0]);
  });
});
