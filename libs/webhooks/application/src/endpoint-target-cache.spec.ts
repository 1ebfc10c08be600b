import type { ClaimedDelivery, EndpointTarget } from './delivery-queue.port';
import { EndpointTargetCache } from './endpoint-target-cache';

const targetOf = (revision: number): EndpointTarget => ({
  url: `http://localhost/${revision}`,
  secrets: ['s'],
  revision,
});
const deliveryTo = (endpointId: string, target: EndpointTarget): ClaimedDelivery => ({
  ...{ id: '', eventId: 'evt_', endpointId, accountId: '', environment: 'sandbox', body: '' },
  ...{ ...target, attempts: 0, claim: '', claimedUntil: new Date(0) },
});

/** A cache in front of `table`, and the reads of it. */
function cacheWith(maxAgeMs: number) {
  const table = new Map<string, EndpointTarget>();
  const reads: string[][] = [];
  const cache = new EndpointTargetCache(maxAgeMs, async (ids) => {
    reads.push([...ids]);
    return new Map([...table].filter(([id]) => ids.includes(id)));
  });
  return { table, reads, cache };
}

describe('EndpointTargetCache', () => {
  it('returns the targets of claimed deliveries until they are stale', () => {
    const claimed = [deliveryTo('a', targetOf(1))];
    const { cache } = cacheWith(3_600_000);
    cache.store(claimed, performance.now());
    expect([cache.get('a'), cache.get('b')]).toEqual([targetOf(1), undefined]);
    cache.store(claimed, performance.now() - 3_600_000);
    expect(cache.get('a')).toEqual(targetOf(1));
    const { cache: others } = cacheWith(3_600_000);
    others.store(claimed, performance.now() - 3_600_000);
    expect(others.get('a')).toBeUndefined();
  });

  it('refreshes the requested and all used targets, and drops deleted endpoints', async () => {
    const { table, reads, cache } = cacheWith(3_600_000);
    cache.store(
      ['used', 'deleted', 'unused'].map((id) => deliveryTo(id, targetOf(1))),
      performance.now() - 1,
    );
    cache.get('used');
    cache.get('deleted');
    table.set('used', targetOf(2)).set('unused', targetOf(2)).set('asked', targetOf(2));
    expect((await cache.refresh(['asked', 'asked'])).get('asked')).toEqual(targetOf(2));
    expect(reads).toEqual([['asked', 'used', 'deleted']]);
    const known = ['asked', 'used', 'deleted', 'unused'].map((id) => cache.get(id)?.revision);
    expect(known).toEqual([2, 2, undefined, 1]);
  });

  it('keeps a target that was read later', async () => {
    const { table, cache } = cacheWith(3_600_000);
    const sooner = performance.now() - 1;
    table.set('a', targetOf(2));
    await cache.refresh(['a']);
    cache.store([deliveryTo('a', targetOf(1))], sooner);
    expect(cache.get('a')).toEqual(targetOf(2));
  });
});
