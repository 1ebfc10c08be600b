import type { Clock, Decider, DomainEvent } from '@florin/kernel';
import type { EventCodec } from './event-codec';
import { firstHash } from './event-metadata';
import { type EventStore, noStream } from './ports/event-store.port';

/** A stream's state as folded from its events, and all that is needed to append the next one. */
export interface Loaded<State> {
  state: State;
  revision: number;
  lastHash: string;
  lastRecordedAt: string;
  /** When the store last confirmed that this is all there is. */
  confirmedAtMs: number;
}

export class StreamLoader<State, E extends DomainEvent<string, unknown>> {
  constructor(
    private readonly store: EventStore,
    private readonly decider: Pick<Decider<State, never, E>, 'initialState' | 'evolve'>,
    private readonly codec: EventCodec<E>,
    private readonly clock: Clock,
  ) {}

  async load(stream: string): Promise<Loaded<State>> {
    const state = this.decider.initialState();
    const loaded = { state, revision: noStream, lastHash: firstHash, lastRecordedAt: '', confirmedAtMs: 0 };
    await this.catchUp(stream, loaded);
    return loaded;
  }

  /** Folds in what the store has beyond the loaded revision; tells whether there was anything. */
  async catchUp(stream: string, loaded: Loaded<State>): Promise<boolean> {
    const before = loaded.revision;
    const askedAtMs = this.clock.now().getTime();
    for await (const page of this.store.readStream(stream, before + 1)) {
      for (const recorded of page) {
        const { event, metadata } = this.codec.decode(recorded);
        loaded.state = this.decider.evolve(loaded.state, event);
        loaded.revision = recorded.revision;
        loaded.lastHash = metadata.hash;
        loaded.lastRecordedAt = metadata.recordedAt;
      }
    }
    loaded.confirmedAtMs = askedAtMs;
    return loaded.revision > before;
  }
}
