import type { Json } from './json';

/**
 * A request to change something, in the imperative. It may be refused. `data` is plain JSON, because the bus serializes
 * it.
 */
export interface Command<Type extends string = string, Data = Json> {
  readonly type: Type;
  readonly data: Data;
}

/** A fact, in the past tense. It is stored permanently; `data` is plain JSON. */
export interface DomainEvent<Type extends string = string, Data = Json> {
  readonly type: Type;
  readonly data: Data;
}

/** Why a command is refused: a stable code for programs and a sentence for people. */
export interface Refusal<Code extends string = string> {
  readonly refused: Code;
  readonly message: string;
}

export function refuse<Code extends string>(refused: Code, message: string): Refusal<Code> {
  return { refused, message };
}

/** The key of a request belongs to a different request. */
export function idempotencyConflict(): Refusal<'idempotency_conflict'> {
  return refuse(
    'idempotency_conflict',
    'This Idempotency-Key was used for a different request: repeat that one unchanged, or use a new key',
  );
}

/**
 * The whole behavior of one aggregate.
 *
 * - `decide` returns the events that follow from a command, none when it was executed before, or a refusal. It only
 *   reads the state, and throws when an invariant is broken.
 * - `evolve` folds one event into the state. It may update the state in place, because an account with a million
 *   entries must not be copied for each of them. No other code keeps a reference to the state.
 */
export interface Decider<
  State,
  C extends Command<string, unknown>,
  E extends DomainEvent<string, unknown>,
  Code extends string = string,
> {
  /** The first part of the stream name: `<category>-<id>`. It has no hyphen. */
  readonly category: string;
  /**
   * Enables snapshots, for streams that grow without bound. A snapshot is only used under the same number: increment it
   * when `evolve` produces another state from the same events. The state must be plain data.
   */
  readonly stateVersion?: number;
  initialState(): State;
  decide(command: C, state: State): readonly E[] | Refusal<Code>;
  evolve(state: State, event: E): State;
}

export function isRefusal<Code extends string>(
  decision: readonly unknown[] | Refusal<Code>,
): decision is Refusal<Code> {
  return !Array.isArray(decision);
}
