import { type Aggregate, type Command, type DomainEvent, isRefusal } from '@florin/kernel';
import { restoredFromSnapshot } from './snapshot-spec';
import { RedeliveredCommands } from './redelivered-commands';

type AnyCommand = Command<string, unknown>;
type AnyEvent = DomainEvent<string, unknown>;

export interface Given<C, E, Code> {
  when(command: C): When<E, Code>;
}

export interface When<E, Code> {
  /** The command is accepted with exactly these events. */
  then(...events: readonly E[]): void;
  /** The command is refused with this code. */
  thenRefused(code: Code): void;
  /** The command breaks an invariant and throws. */
  thenThrows(message: RegExp): void;
}

export interface SpecOptions<C extends AnyCommand> {
  /**
   * Commands that state a lasting fact, such as a time that has passed: a repeat may affect objects that were added
   * since.
   */
  readonly lastingFacts?: readonly C['type'][];
}

/**
 * given(past events).when(command).then(new events). Every accepted case also checks three properties of all deciders:
 * repeating the command yields no events, every event survives a JSON round trip, and at the end of the spec, repeating
 * the command after any other one of the spec yields no events either. If the decider has snapshots, every case
 * restores its state from one halfway and once more before the command.
 */
export function specFor<State, C extends AnyCommand, E extends AnyEvent, Code extends string>(
  aggregate: Omit<Aggregate<State, C, E, Code, unknown>, 'answer'>,
  { lastingFacts = [] }: SpecOptions<C> = {},
): { given(...events: readonly E[]): Given<C, E, Code> } {
  const restored = (state: State): State =>
    aggregate.stateVersion === undefined ? state : restoredFromSnapshot(state);
  const evolve = (state: State, events: readonly E[]): State =>
    restored(events.reduce((before, event) => aggregate.evolve(before, roundTrip(event)), state));
  const fold = (events: readonly E[]): State => {
    const half = Math.floor(events.length / 2);
    return evolve(evolve(aggregate.initialState(), events.slice(0, half)), events.slice(half));
  };
  const redelivered = new RedeliveredCommands(aggregate, fold, lastingFacts);
  afterAll(() => redelivered.expectNoChange());

  return {
    given: (...past) => ({
      when: (command) => ({
        then: (...expected) => {
          const decision = aggregate.decide(command, fold(past));
          expect(decision).toEqual(expected);
          for (const event of expected) {
            expect(roundTrip(event)).toEqual(event);
            expect(Object.keys(aggregate.versions)).toContain(event.type);
          }
          expect(aggregate.decide(command, fold([...past, ...expected]))).toEqual([]);
          redelivered.accepted(command, [...past, ...expected]);
        },
        thenRefused: (code) => {
          redelivered.refused(command);
          const decision = aggregate.decide(command, fold(past));
          expect(isRefusal(decision) ? decision.refused : decision).toBe(code);
        },
        thenThrows: (message) => {
          expect(() => aggregate.decide(command, fold(past))).toThrow(message);
        },
      }),
    }),
  };
}

function roundTrip<E>(event: E): E {
  return JSON.parse(JSON.stringify(event)) as E;
}
