/** What a stream's events amount to, up to one of them. It saves reading them again, and proves nothing: the log does. */
export interface Snapshot {
  readonly stream: string;
  /** The last event that is in it. */
  readonly revision: number;
  /** The hash of that event, which vouches for all before it: a log that has another one there is another log. */
  readonly hash: string;
  /** Of the decider that folded it. */
  readonly stateVersion: number;
  readonly state: Uint8Array;
}

/**
 * A convenience that may be lost at any time, so none of its methods rejects: what fails is told to the log of the process,
 * and costs no more than time. What every adapter promises is written down in `testing/snapshot-store.contract.ts`.
 */
export interface SnapshotStore {
  /** A stream leaves a snapshot here after so many events at the earliest. */
  readonly eventsPerSnapshot: number;

  /** What was kept of the stream, unless it is of another version. */
  find(stream: string, stateVersion: number): Promise<Snapshot | undefined>;

  /** Takes the place of what was kept before, unless that reaches further. One of another version always gives way. */
  keep(snapshot: Snapshot): Promise<void>;

  /** This one turned out to be of no use: forgets it, and says why. One that was kept since stays. */
  discard(snapshot: Snapshot, reason: string): Promise<void>;
}
