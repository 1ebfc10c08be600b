import { openStore, readStoreId } from './store-identity';
import { InMemoryEventStore } from './testing';
import { verifyLog } from './verify-log';

const opener = { service: 'ledger', florinVersion: '1.2.3', clock: { now: () => new Date('2026-11-17T00:00:00Z') } };

describe('the identity of a store', () => {
  it('is absent before the store was opened', async () => {
    expect(await readStoreId(new InMemoryEventStore())).toBeUndefined();
  });

  it('is the same however often the store is opened', async () => {
    const store = new InMemoryEventStore();
    const id = await openStore(store, opener);
    expect(await openStore(store, opener)).toBe(id);
    expect(await readStoreId(store)).toBe(id);
  });

  it('is the same for processes that open the store at once', async () => {
    const store = new InMemoryEventStore();
    const ids = await Promise.all(Array.from({ length: 5 }, () => openStore(store, opener)));
    expect(new Set(ids).size).toBe(1);
  });

  it('differs between stores', async () => {
    const [one, other] = [new InMemoryEventStore(), new InMemoryEventStore()];
    expect(await openStore(one, opener)).not.toBe(await openStore(other, opener));
  });

  it('is an event with an intact hash chain', async () => {
    const store = new InMemoryEventStore();
    await openStore(store, opener);
    expect(await verifyLog(store)).toMatchObject({ events: 1, broken: [], missing: [] });
  });
});
