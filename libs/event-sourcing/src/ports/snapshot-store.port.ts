/** What a stream's events amount to, up to one of them. It saves reading them again, and proves nothing: the log does. */
export interface Snapshot {
  readonly stream: string;
  /** The last event that is in it. */
  readonly revision: number;
  /** The hash of that event, which vouches for all before it: a log that has another one there is another log. */
  readonly hash: string;
  /** Of the state, and of all the events that it may have been folded from. */
  readonly version: string;
  readonly state: Uint8Array;
  /** Over all of the above, so that damage shows. */
  readonly digest: string;
}

/**
 * A convenience that may be lost at any time, so none of its methods rejects, or keeps anybody waiting for long: what fails
 * is told to the log of the process, and costs no more than time. What every adapter promises is written down in
 * `testing/snapshot-store.contract.ts`.
 */
export interface SnapshotStore {
  /** A stream leaves a snapshot here after so many events at the earliest. */
  readonly leastEvents: number;

  /** A large one has to save more: an event for every so many bytes. So the price of snapshots for each event is bounded. */
  readonly bytesPerEvent: number;

  /** What was kept of the stream, unless it is of another version. */
  find(stream: string, version: string): Promise<Snapshot | undefined>;

  /** Takes the place of what was kept before, unless that reaches further. One of another version always gives way. */
  keep(snapshot: Snapshot): Promise<void>;

  /** This one turned out to be of no use: forgets it, and says why. Another one, that was kept since, stays. */
  discard(snapshot: Snapshot, reason: string): Promise<void>;
}
