import { assert, sha256 } from '@florin/kernel';
import { openSnapshot, snapshotOf } from '../snapshot';

/** The state as a process finds it that goes on from a snapshot. */
export function foundAgain<State>(state: State): State {
  const opened = openSnapshot<State>(snapshotOf({ stream: 'any-1', revision: 0, hash: '', version: '' }, state));
  assert('state' in opened, 'what was just kept can be read');
  return opened.state;
}

/**
 * One text for a state with all that is in it, the order of its maps included. Specs pin it together with the version of
 * the state: a change of either without the other fails.
 */
export function pinnedState(state: unknown): string {
  const plain = (_: string, value: unknown): unknown => {
    if (value instanceof Map) return { map: [...(value as Map<unknown, unknown>)] };
    if (value instanceof Set) return { set: [...(value as Set<unknown>)] };
    if (typeof value === 'bigint') return { bigint: `${value}` };
    return value === undefined ? { nothing: true } : value;
  };
  return sha256(JSON.stringify(state, plain));
}
