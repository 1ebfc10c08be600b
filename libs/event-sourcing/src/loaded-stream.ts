import type { Clock, Decider, DomainEvent } from '@florin/kernel';
import type { EventCodec } from './event-codec';
import { type EventMetadata, firstHash, metadataOf } from './event-metadata';
import { type EventStore, noStream, type RecordedEvent } from './ports/event-store.port';
import type { Snapshot, SnapshotStore } from './ports/snapshot-store.port';
import { openSnapshot, snapshotOf } from './snapshot';

/** A stream's state as folded from its events, and all that is needed to append the next one. */
export interface Loaded<State> {
  state: State;
  revision: number;
  lastHash: string;
  lastRecordedAt: string;
  /** When the store last confirmed that this is all there is. */
  confirmedAtMs: number;
  /** How far the snapshot reaches that was found or made last, and its size. */
  snapshot: Pick<Snapshot, 'revision'> & { readonly bytes: number };
}

export interface StreamLoaderOptions<State, E extends DomainEvent<string, unknown>> {
  readonly store: EventStore;
  readonly decider: Pick<Decider<State, never, E>, 'initialState' | 'evolve' | 'stateVersion'>;
  readonly codec: EventCodec<E>;
  readonly clock: Clock;
  readonly snapshots?: SnapshotStore;
}

/** Makes states from the log, with snapshots as a short cut where the decider gives its states a version. */
export class StreamLoader<State, E extends DomainEvent<string, unknown>> {
  private readonly snapshots: SnapshotStore | undefined;
  private readonly version: string;

  constructor(private readonly options: StreamLoaderOptions<State, E>) {
    const { decider, codec, snapshots } = options;
    this.snapshots = decider.stateVersion === undefined ? undefined : snapshots;
    // An event that this release does not know must stop it, also where it lies behind a snapshot of a newer one.
    this.version = `${decider.stateVersion} of ${codec.knownEvents}`;
  }

  async load(stream: string): Promise<Loaded<State>> {
    const snapshot = await this.snapshots?.find(stream, this.version);
    const continued = snapshot && (await this.continueFrom(snapshot));
    if (continued !== undefined) return continued;
    const loaded = unread(this.options.decider.initialState(), { revision: noStream, bytes: 0 });
    await this.catchUp(stream, loaded);
    return loaded;
  }

  /** Folds in what the store has beyond the loaded revision; tells whether there was anything. */
  async catchUp(stream: string, loaded: Loaded<State>): Promise<boolean> {
    const before = loaded.revision;
    const askedAtMs = this.nowMs();
    for await (const page of this.options.store.readStream(stream, before + 1)) this.fold(loaded, page);
    loaded.confirmedAtMs = askedAtMs;
    return loaded.revision > before;
  }

  /** For a state of which everything is stored. It is copied here and now where it is due, and kept in its own time. */
  keepSnapshot(stream: string, loaded: Loaded<State>): void {
    if (this.snapshots === undefined) return;
    const { leastEvents, bytesPerEvent } = this.snapshots;
    const { revision, lastHash: hash, snapshot } = loaded;
    if (revision - snapshot.revision < Math.max(leastEvents, snapshot.bytes / bytesPerEvent)) return;
    const made = snapshotOf({ stream, revision, hash, version: this.version }, loaded.state);
    loaded.snapshot = { revision, bytes: made.state.length };
    void this.snapshots.keep(made);
  }

  /** Nothing when the snapshot is of no use: a short cut must lead to where the log leads. */
  private async continueFrom(snapshot: Snapshot): Promise<Loaded<State> | undefined> {
    const { stream, revision, hash } = snapshot;
    const opened = openSnapshot<State>(snapshot);
    if ('flaw' in opened) return this.discard(snapshot, opened.flaw);
    const loaded = unread(opened.state, { revision, bytes: snapshot.state.length });
    const askedAtMs = this.nowMs();
    for await (const page of this.options.store.readStream(stream, revision)) {
      if (loaded.revision === noStream) {
        // The event that the snapshot ends with comes first, and is in the state already.
        const [last, ...newer] = page;
        const metadata = metadataOf(last!);
        if (metadata.hash !== hash) break;
        moveTo(loaded, revision, metadata);
        this.fold(loaded, newer);
      } else {
        this.fold(loaded, page);
      }
    }
    if (loaded.revision === noStream) return this.discard(snapshot, 'it was made from another log than this one');
    loaded.confirmedAtMs = askedAtMs;
    return loaded;
  }

  private fold(loaded: Loaded<State>, page: readonly RecordedEvent[]): void {
    const { codec, decider } = this.options;
    for (const recorded of page) {
      const { event, metadata } = codec.decode(recorded);
      loaded.state = decider.evolve(loaded.state, event);
      moveTo(loaded, recorded.revision, metadata);
    }
  }

  private async discard(snapshot: Snapshot, reason: string): Promise<undefined> {
    await this.snapshots!.discard(snapshot, reason);
    return undefined;
  }

  private nowMs(): number {
    return this.options.clock.now().getTime();
  }
}

function unread<State>(state: State, snapshot: Loaded<State>['snapshot']): Loaded<State> {
  return { state, revision: noStream, lastHash: firstHash, lastRecordedAt: '', confirmedAtMs: 0, snapshot };
}

function moveTo(loaded: Loaded<unknown>, revision: number, { hash, recordedAt }: EventMetadata): void {
  loaded.revision = revision;
  loaded.lastHash = hash;
  loaded.lastRecordedAt = recordedAt;
}
