import { positionBefore } from './position-before';
import { InMemoryEventStore } from './testing/in-memory-event-store';

async function logOf(...times: readonly string[]): Promise<InMemoryEventStore> {
  const store = new InMemoryEventStore();
  for (const [index, recordedAt] of times.entries()) {
    const metadata = JSON.stringify({ recordedAt });
    await store.append(`tally-${index}`, -1, [{ id: String(index), type: 'Incremented', data: '{}', metadata }]);
  }
  return store;
}

describe('The position before a time', () => {
  it.each([
    ['2026-01-01T00:00:00.000Z', 0n],
    ['2026-01-01T00:00:00.001Z', 1n],
    ['2026-01-02T00:00:00.000Z', 1n],
    ['2026-01-02T12:00:00.000Z', 2n],
    ['2027-01-01T00:00:00.000Z', 3n],
  ])('%s is %s', async (time, position) => {
    const store = await logOf('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z');
    expect(await positionBefore(store, new Date(time))).toBe(position);
  });

  it('ends at the first later event, also if an earlier one follows it', async () => {
    const store = await logOf('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00.001Z');
    expect(await positionBefore(store, new Date('2026-01-01T00:00:00.002Z'))).toBe(1n);
  });

  it('is before the first event of an empty log', async () => {
    expect(await positionBefore(await logOf(), new Date())).toBe(0n);
  });
});
