import type { Command, Decider, DomainEvent } from './decider';
import type { EventVersions } from './event-versions';

/** A decider with everything else that a command handler needs to know about one kind of aggregate. */
export interface Aggregate<
  State,
  C extends Command<string, unknown>,
  E extends DomainEvent<string, unknown>,
  Code extends string,
  Answer,
> extends Decider<State, C, E, Code> {
  readonly versions: EventVersions<E>;
  /** The result for the sender of an accepted command, also for a repeat. Must not share references with the state. */
  readonly answer: (state: State, command: C, repeated: boolean) => Answer;
}

// Only `any` accepts every aggregate: the types occur in parameters and results of its functions.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyAggregate = Aggregate<any, any, any, any, any>;

export type StateOf<A extends AnyAggregate> = ReturnType<A['initialState']>;
export type CommandOf<A extends AnyAggregate> = Parameters<A['answer']>[1];
export type EventOf<A extends AnyAggregate> = Parameters<A['evolve']>[1];
export type AnswerOf<A extends AnyAggregate> = ReturnType<A['answer']>;
export type RefusalCodeOf<A extends AnyAggregate> = Extract<
  ReturnType<A['decide']>,
  { readonly refused: string }
>['refused'];
