import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { Snapshot } from './ports/snapshot-store.port';

type Subject = Pick<Snapshot, 'stream' | 'revision' | 'hash' | 'version'>;

/** Copies the current state. Throws if it is not plain data. */
export function snapshotOf(subject: Subject, state: unknown): Snapshot {
  const bytes = serialize(state);
  return { ...subject, state: bytes, digest: digestOf({ ...subject, state: bytes }) };
}

/** The state in the snapshot, or why it is unusable. */
export function openSnapshot<State>(snapshot: Snapshot): { readonly state: State } | { readonly problem: string } {
  if (digestOf(snapshot) !== snapshot.digest) return { problem: 'it is corrupt' };
  try {
    return { state: deserialize(snapshot.state) as State };
  } catch (error) {
    // Written by a newer Node, in a format that this one does not know.
    return { problem: `it cannot be deserialized: ${String(error)}` };
  }
}

export function digestOf({ stream, revision, hash, version, state }: Omit<Snapshot, 'digest'>): string {
  return createHash('sha256').update(`${stream}\n${revision}\n${hash}\n${version}\n`).update(state).digest('hex');
}
