import type { Snapshot, SnapshotStore } from '../ports/snapshot-store.port';

export class InMemorySnapshotStore implements SnapshotStore {
  /** Few, so that short tests are about snapshots, too. */
  readonly eventsPerSnapshot = 2;
  private readonly byStream = new Map<string, Snapshot>();
  /** Why snapshots were discarded. */
  readonly reasons: string[] = [];

  async find(stream: string, stateVersion: number): Promise<Snapshot | undefined> {
    const snapshot = this.byStream.get(stream);
    return snapshot?.stateVersion === stateVersion ? snapshot : undefined;
  }

  async keep(snapshot: Snapshot): Promise<void> {
    const before = this.byStream.get(snapshot.stream);
    const isFurther = before?.stateVersion === snapshot.stateVersion && before.revision >= snapshot.revision;
    if (!isFurther) this.byStream.set(snapshot.stream, snapshot);
  }

  async discard({ stream, revision, stateVersion }: Snapshot, reason: string): Promise<void> {
    this.reasons.push(reason);
    const found = this.byStream.get(stream);
    if (found?.revision === revision && found.stateVersion === stateVersion) this.byStream.delete(stream);
  }
}
