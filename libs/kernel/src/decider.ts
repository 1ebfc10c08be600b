import type { Json } from './json';

/** A wish, in the imperative. It may be refused. `data` is plain JSON, because it travels on a wire. */
export interface Command<Type extends string = string, Data = Json> {
  readonly type: Type;
  readonly data: Data;
}

/** A fact, in the past tense. It is stored for ever; `data` is plain JSON. */
export interface DomainEvent<Type extends string = string, Data = Json> {
  readonly type: Type;
  readonly data: Data;
}

/** Why a command may not happen: a stable code for programs, a sentence for people. */
export interface Refusal<Code extends string = string> {
  readonly refused: Code;
  readonly message: string;
}

export function refuse<Code extends string>(refused: Code, message: string): Refusal<Code> {
  return { refused, message };
}

/**
 * The whole behaviour of one aggregate.
 *
 * - `decide` gives the events that follow from a command, none when it has been done before, or a refusal.
 *   It only reads the state. The impossible throws.
 * - `evolve` folds one event in. The state belongs to the fold, so it may be updated in place: an account with a
 *   million entries must not be copied for each of them. Nobody else keeps a reference to it.
 */
export interface Decider<
  State,
  C extends Command<string, unknown>,
  E extends DomainEvent<string, unknown>,
  Code extends string = string,
> {
  /** The first part of the stream's name: `<category>-<id>`. It has no hyphen. */
  readonly category: string;
  /**
   * For streams that grow without end: their states are kept now and then, under this number, and only used under the same
   * one. Whoever changes what `evolve` makes of the same events, or the shape of the state, has to raise it. Such a state
   * is plain data.
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
