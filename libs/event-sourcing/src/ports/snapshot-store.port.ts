/**
 * The state of a stream after one of its events. It saves reading the events again; the log remains the source of
 * truth.
 */
export interface Snapshot {
  readonly stream: string;
  /** The revision of the last event in it. */
  readonly revision: number;
  /** The hash of that event, which covers all events before it: another hash there means another log. */
  readonly hash: string;
  /** The version of the state and of all event types that it can contain. */
  readonly version: string;
  readonly state: Uint8Array;
  /** A digest of all of the above, to detect corruption. */
  readonly digest: string;
}

/**
 * Snapshots may be lost at any time, so no method rejects or takes long: failures are logged and cost only time.
 * `testing/snapshot-store.contract.ts` specifies the behavior of every adapter.
 */
export interface SnapshotStore {
  /** The minimum number of events between two snapshots of a stream. */
  readonly minEvents: number;

  /** A large state needs more events between snapshots: one per this many bytes. This bounds the cost per event. */
  readonly bytesPerEvent: number;

  /** The snapshot of the stream, unless it has another version. */
  find(stream: string, version: string): Promise<Snapshot | undefined>;

  /**
   * Replaces the stored snapshot, unless that one covers more events. A snapshot of another version is always replaced.
   */
  save(snapshot: Snapshot): Promise<void>;

  /** Deletes an unusable snapshot and logs the reason. A snapshot that was stored in the meantime stays. */
  discard(snapshot: Snapshot, reason: string): Promise<void>;
}
