import type { Snapshot, SnapshotStore } from '../ports/snapshot-store.port';

export interface SnapshotStoreUnderTest {
  readonly store: SnapshotStore;
  close(): Promise<void>;
}

/** The contract of every snapshot store. */
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

    test('returns a stored snapshot byte for byte', async () => {
      const saved = snapshot();
      await store.save(saved);
      const found = await store.find(saved.stream, '1');
      expect({ ...found, state: [...found!.state] }).toEqual({ ...saved, state: [...saved.state] });
    });

    test('returns nothing for a stream without a snapshot', async () => {
      await store.save(snapshot());
      expect(await store.find(`account-${count} `, '1')).toBeUndefined();
    });

    test('stores a snapshot of a megabyte', async () => {
      const state = Buffer.alloc(1_048_576, 'florin');
      await store.save(snapshot({ state }));
      const found = await store.find(snapshot().stream, '1');
      expect(Buffer.from(found!.state).equals(state)).toBe(true);
    });

    test('replaces an older snapshot by a newer one', async () => {
      await store.save(snapshot());
      await store.save(snapshot({ revision: 10, hash: 'b'.repeat(64), digest: 'e'.repeat(64) }));
      expect(await store.find(snapshot().stream, '1')).toMatchObject({ revision: 10, hash: 'b'.repeat(64) });
    });

    test('ignores an older snapshot that arrives late', async () => {
      await store.save(snapshot({ revision: 10 }));
      await store.save(snapshot({ revision: 9 }));
      expect(await store.find(snapshot().stream, '1')).toMatchObject({ revision: 10 });
    });

    test('does not return a snapshot of another version, and replaces it even if it covers more events', async () => {
      await store.save(snapshot({ revision: 20, version: '1' }));
      expect(await store.find(snapshot().stream, '2')).toBeUndefined();
      await store.save(snapshot({ revision: 10, version: '2' }));
      expect(await store.find(snapshot().stream, '2')).toMatchObject({ revision: 10, version: '2' });
      expect(await store.find(snapshot().stream, '1')).toBeUndefined();
    });

    test('deletes a discarded snapshot and accepts an older one afterwards', async () => {
      await store.save(snapshot({ revision: 20 }));
      await store.discard(snapshot({ revision: 20 }), 'it belongs to another log');
      expect(await store.find(snapshot().stream, '1')).toBeUndefined();
      await store.save(snapshot({ revision: 10 }));
      expect(await store.find(snapshot().stream, '1')).toMatchObject({ revision: 10 });
    });

    test('keeps a snapshot that was stored after the discarded one, even of the same length', async () => {
      await store.save(snapshot({ revision: 9, version: '1' }));
      await store.save(snapshot({ revision: 9, version: '2', digest: 'e'.repeat(64) }));
      await store.discard(snapshot({ revision: 9 }), 'it is corrupt');
      expect(await store.find(snapshot().stream, '2')).toMatchObject({ revision: 9 });
    });
  });
}
