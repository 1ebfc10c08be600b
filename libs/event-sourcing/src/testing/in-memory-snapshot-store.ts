import type { Snapshot, SnapshotStore } from '../ports/snapshot-store.port';

export class InMemorySnapshotStore implements SnapshotStore {
  /** Few events and any size, so that short tests use snapshots as well. */
  readonly minEvents: number = 2;
  readonly bytesPerEvent: number = Infinity;
  private readonly byStream = new Map<string, Snapshot>();
  /** Why snapshots were discarded. */
  readonly reasons: string[] = [];

  async find(stream: string, version: string): Promise<Snapshot | undefined> {
    const snapshot = this.byStream.get(stream);
    return snapshot?.version === version ? snapshot : undefined;
  }

  async save(snapshot: Snapshot): Promise<void> {
    const before = this.byStream.get(snapshot.stream);
    const isFurther = before?.version === snapshot.version && before.revision >= snapshot.revision;
    if (!isFurther) this.byStream.set(snapshot.stream, snapshot);
  }

  async discard({ stream, digest }: Snapshot, reason: string): Promise<void> {
    this.reasons.push(reason);
    if (this.byStream.get(stream)?.digest === digest) this.byStream.delete(stream);
  }
}
