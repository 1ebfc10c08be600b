import { type AnyAggregate, assert, type EventOf, sha256, type StateOf, systemClock } from '@florin/kernel';
import { eventCodec } from '../event-codec';
import { snapshotVersion, StreamLoader } from '../loaded-stream';
import type { EventStore } from '../ports/event-store.port';
import type { Snapshot } from '../ports/snapshot-store.port';
import { openSnapshot, snapshotOf } from '../snapshot';

/** The state as a process restores it from a snapshot. */
export function restoredFromSnapshot<State>(state: State): State {
  const opened = openSnapshot<State>(snapshotOf({ stream: 'any-1', revision: 0, hash: '', version: '' }, state));
  assert('state' in opened, 'a snapshot taken in this process can be read');
  return opened.state;
}

/** A snapshot of the newest state of a stream with a valid digest, as anyone with access to the table can write it. */
export async function forgedSnapshot<A extends AnyAggregate>(
  aggregate: A,
  store: EventStore,
  stream: string,
  change: (state: StateOf<A>) => StateOf<A>,
): Promise<Snapshot> {
  const codec = eventCodec<EventOf<A>>(aggregate.versions);
  const loader = new StreamLoader<StateOf<A>, EventOf<A>>({ store, decider: aggregate, codec, clock: systemClock });
  const { state, revision, lastHash: hash } = await loader.load(stream);
  return snapshotOf({ stream, revision, hash, version: snapshotVersion(aggregate, codec) }, change(state));
}

/**
 * Fails when the same events fold to another state than the pinned one under the same `stateVersion`: databases contain
 * snapshots of the pinned state. The history must contain every event type of the aggregate.
 */
export function expectPinnedState<A extends AnyAggregate>(
  aggregate: A,
  history: readonly EventOf<A>[],
  pinned: { readonly stateVersion: number; readonly hash: string },
): void {
  expect([...new Set(history.map(({ type }) => type))].sort()).toEqual(Object.keys(aggregate.versions).sort());
  const hash = stateHash(history.reduce<StateOf<A>>(aggregate.evolve, aggregate.initialState()));
  if (hash !== pinned.hash && aggregate.stateVersion === pinned.stateVersion) {
    throw new Error(
      `${aggregate.category}: evolve changed. Increment stateVersion in the decider and pin hash '${hash}'.`,
    );
  }
  expect({ stateVersion: aggregate.stateVersion, hash }).toEqual(pinned);
}

/** Covers the whole state, including the insertion order of its maps. */
function stateHash(state: unknown): string {
  const plain = (_: string, value: unknown): unknown => {
    if (value instanceof Map) return { map: [...(value as Map<unknown, unknown>)] };
    if (value instanceof Set) return { set: [...(value as Set<unknown>)] };
    if (typeof value === 'bigint') return { bigint: `${value}` };
    return value === undefined ? { nothing: true } : value;
  };
  return sha256(JSON.stringify(state, plain));
}
