import type { Snapshot, SnapshotStore } from '../ports/snapshot-store.port';

export interface SnapshotStoreUnderTest {
  readonly store: SnapshotStore;
  close(): Promise<void>;
}

/** What every snapshot store promises. */
export function snapshotStoreContract(name: string, open: () => Promise<SnapshotStoreUnderTest>): void {
  describe(name, () => {
    let opened: SnapshotStoreUnderTest;
    let store: SnapshotStore;

    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });

    afterAll(() => opened.close());

    let count = 0;
    const snapshot = (changes: Partial<Snapshot> = {}): Snapshot => ({
      stream: `account-${count}`,
      revision: 9,
      hash: 'a'.repeat(64),
      version: '1',
      state: Buffer.from([0, 255, 1, 39, 92]),
      digest: 'd'.repeat(64),
      ...changes,
    });

    beforeEach(() => void (count += 1));

    test('gives back what was kept, to the byte', async () => {
      const kept = snapshot();
      await store.keep(kept);
      const found = await store.find(kept.stream, '1');
      expect({ ...found, state: [...found!.state] }).toEqual({ ...kept, state: [...kept.state] });
    });

    test('has nothing of a stream of which nothing was kept', async () => {
      await store.keep(snapshot());
      expect(await store.find(`account-${count} `, '1')).toBeUndefined();
    });

    test('keeps one of a megabyte', async () => {
      const state = Buffer.alloc(1_048_576, 'florin');
      await store.keep(snapshot({ state }));
      const found = await store.find(snapshot().stream, '1');
      expect(Buffer.from(found!.state).equals(state)).toBe(true);
    });

    test('a newer one takes the place of an older one', async () => {
      await store.keep(snapshot());
      await store.keep(snapshot({ revision: 10, hash: 'b'.repeat(64), digest: 'e'.repeat(64) }));
      expect(await store.find(snapshot().stream, '1')).toMatchObject({ revision: 10, hash: 'b'.repeat(64) });
    });

    test('an older one that comes late changes nothing', async () => {
      await store.keep(snapshot({ revision: 10 }));
      await store.keep(snapshot({ revision: 9 }));
      expect(await store.find(snapshot().stream, '1')).toMatchObject({ revision: 10 });
    });

    test('one of another version is not found, and gives way even where it reaches further', async () => {
      await store.keep(snapshot({ revision: 20, version: '1' }));
      expect(await store.find(snapshot().stream, '2')).toBeUndefined();
      await store.keep(snapshot({ revision: 10, version: '2' }));
      expect(await store.find(snapshot().stream, '2')).toMatchObject({ revision: 10, version: '2' });
      expect(await store.find(snapshot().stream, '1')).toBeUndefined();
    });

    test('one that was discarded is gone, and an older one can be kept again', async () => {
      await store.keep(snapshot({ revision: 20 }));
      await store.discard(snapshot({ revision: 20 }), 'it was made from another log than this one');
      expect(await store.find(snapshot().stream, '1')).toBeUndefined();
      await store.keep(snapshot({ revision: 10 }));
      expect(await store.find(snapshot().stream, '1')).toMatchObject({ revision: 10 });
    });

    test('discarding one leaves what was kept since, be it as long', async () => {
      await store.keep(snapshot({ revision: 9, version: '1' }));
      await store.keep(snapshot({ revision: 9, version: '2', digest: 'e'.repeat(64) }));
      await store.discard(snapshot({ revision: 9 }), 'it is damaged');
      expect(await store.find(snapshot().stream, '2')).toMatchObject({ revision: 9 });
    });
  });
}
