import type { AnyAggregate } from '@florin/kernel';
import { isDeepStrictEqual } from 'node:util';
import { eventCodec } from './event-codec';
import { snapshotVersion } from './loaded-stream';
import { type EventStore, noStream } from './ports/event-store.port';
import type { Snapshot } from './ports/snapshot-store.port';
import { openSnapshot, snapshotOf } from './snapshot';

/**
 * Compares a stored snapshot with the state that the log leads to. Returns what is wrong with it. A snapshot of another
 * version is not compared: this release does not use it.
 */
export async function checkSnapshot(
  aggregate: AnyAggregate,
  store: Pick<EventStore, 'readStream'>,
  snapshot: Snapshot,
): Promise<string | undefined> {
  const codec = eventCodec(aggregate.versions);
  const { stream, revision, hash, version } = snapshot;
  if (version !== snapshotVersion(aggregate, codec)) return undefined;
  const opened = openSnapshot(snapshot);
  if ('problem' in opened) return opened.problem;
  let state: unknown = aggregate.initialState();
  let reached = noStream;
  let lastHash = '';
  for await (const page of store.readStream(stream)) {
    for (const recorded of page.filter((event) => event.revision <= revision)) {
      const { event, metadata } = codec.decode(recorded);
      state = aggregate.evolve(state, event);
      reached = recorded.revision;
      lastHash = metadata.hash;
    }
    if (reached === revision) break;
  }
  if (reached !== revision) return `it is from revision ${revision}, which the log does not have`;
  if (lastHash !== hash) return 'it belongs to another log';
  // A copy, so that both have been through the same serialization.
  const folded = openSnapshot(snapshotOf({ stream, revision, hash, version }, state));
  if (isDeepStrictEqual(opened, folded)) return undefined;
  return `its state at revision ${revision} is not the one that the log leads to`;
}
