import type { Clock, Decider, DomainEvent } from '@florin/kernel';
import type { EventCodec } from './event-codec';
import { type EventMetadata, firstHash, metadataOf } from './event-metadata';
import { type EventStore, noStream, type RecordedEvent } from './ports/event-store.port';
import type { Snapshot, SnapshotStore } from './ports/snapshot-store.port';
import { openSnapshot, snapshotOf } from './snapshot';

/** The state of a stream, folded from its events, with everything needed to append the next event. */
export interface Loaded<State> {
  state: State;
  revision: number;
  lastHash: string;
  lastRecordedAt: string;
  /** When the store last confirmed that there are no newer events. */
  confirmedAtMs: number;
  /** The revision and size of the latest snapshot that was read or taken. */
  snapshot: Pick<Snapshot, 'revision'> & { readonly bytes: number };
}

export interface StreamLoaderOptions<State, E extends DomainEvent<string, unknown>> {
  readonly store: EventStore;
  readonly decider: Pick<Decider<State, never, E>, 'initialState' | 'evolve' | 'stateVersion'>;
  readonly codec: EventCodec<E>;
  readonly clock: Clock;
  readonly snapshots?: SnapshotStore;
}

/** An event type unknown to this release must stop it, even when a newer release has covered it by a snapshot. */
export function snapshotVersion(
  { stateVersion }: { readonly stateVersion?: number },
  { knownEvents }: { readonly knownEvents: string },
): string {
  return `${stateVersion} of ${knownEvents}`;
}

/** Folds states from the log. Uses snapshots if the decider has a `stateVersion`. */
export class StreamLoader<State, E extends DomainEvent<string, unknown>> {
  private readonly snapshots: SnapshotStore | undefined;
  private readonly version: string;

  constructor(private readonly options: StreamLoaderOptions<State, E>) {
    const { decider, codec, snapshots } = options;
    this.snapshots = decider.stateVersion === undefined ? undefined : snapshots;
    this.version = snapshotVersion(decider, codec);
  }

  /** The state of a stream without events. */
  empty(): Loaded<State> {
    return unread(this.options.decider.initialState(), { revision: noStream, bytes: 0 });
  }

  async load(stream: string): Promise<Loaded<State>> {
    const snapshot = await this.snapshots?.find(stream, this.version);
    const continued = snapshot && (await this.continueFrom(snapshot));
    if (continued !== undefined) return continued;
    const loaded = this.empty();
    await this.catchUp(stream, loaded);
    return loaded;
  }

  /** Folds the events after the loaded revision and returns whether there were any. */
  async catchUp(stream: string, loaded: Loaded<State>): Promise<boolean> {
    const before = loaded.revision;
    const askedAtMs = this.nowMs();
    for await (const page of this.options.store.readStream(stream, before + 1)) this.fold(loaded, page);
    loaded.confirmedAtMs = askedAtMs;
    return loaded.revision > before;
  }

  /**
   * Call it when all events of the state are durable. The state is copied immediately if a snapshot is due, and stored
   * in the background.
   */
  takeSnapshotIfDue(stream: string, loaded: Loaded<State>): void {
    if (this.snapshots === undefined) return;
    const { minEvents, bytesPerEvent } = this.snapshots;
    const { revision, lastHash: hash, snapshot } = loaded;
    if (revision - snapshot.revision < Math.max(minEvents, snapshot.bytes / bytesPerEvent)) return;
    const made = snapshotOf({ stream, revision, hash, version: this.version }, loaded.state);
    loaded.snapshot = { revision, bytes: made.state.length };
    void this.snapshots.save(made);
  }

  /** Undefined when the snapshot is unusable: it must lead to the same state as the log. */
  private async continueFrom(snapshot: Snapshot): Promise<Loaded<State> | undefined> {
    const { stream, revision, hash } = snapshot;
    const opened = openSnapshot<State>(snapshot);
    if ('problem' in opened) return this.discard(snapshot, opened.problem);
    const loaded = unread(opened.state, { revision, bytes: snapshot.state.length });
    const askedAtMs = this.nowMs();
    for await (const page of this.options.store.readStream(stream, revision)) {
      if (loaded.revision === noStream) {
        // The first event is the last one of the snapshot, already contained in the state.
        const [last, ...newer] = page;
        const metadata = metadataOf(last!);
        if (metadata.hash !== hash) break;
        moveTo(loaded, revision, metadata);
        this.fold(loaded, newer);
      } else {
        this.fold(loaded, page);
      }
    }
    if (loaded.revision === noStream) return this.discard(snapshot, 'it belongs to another log');
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
