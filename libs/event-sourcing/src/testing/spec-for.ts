import { type Command, type Decider, type DomainEvent, type EventVersions, isRefusal } from '@florin/kernel';

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
  /** The command cannot happen in a sound system, and says so loudly. */
  thenThrows(message: RegExp): void;
}

/**
 * given(past events).when(command).then(new events). Every accepted case is also checked for two promises that all
 * deciders make: the same command once more yields nothing, and every event survives a JSON round trip.
 */
export function specFor<State, C extends AnyCommand, E extends AnyEvent, Code extends string>(
  decider: Decider<State, C, E, Code>,
  versions: EventVersions<E>,
): { given(...events: readonly E[]): Given<C, E, Code> } {
  const fold = (events: readonly E[]): State =>
    events.reduce((state, event) => decider.evolve(state, roundTrip(event)), decider.initialState());

  return {
    given: (...past) => ({
      when: (command) => ({
        then: (...expected) => {
          const decision = decider.decide(command, fold(past));
          expect(decision).toEqual(expected);
          for (const event of expected) {
            expect(roundTrip(event)).toEqual(event);
            expect(Object.keys(versions)).toContain(event.type);
          }
          expect(decider.decide(command, fold([...past, ...expected]))).toEqual([]);
        },
        thenRefused: (code) => {
          const decision = decider.decide(command, fold(past));
          expect(isRefusal(decision) ? decision.refused : decision).toBe(code);
        },
        thenThrows: (message) => {
          expect(() => decider.decide(command, fold(past))).toThrow(message);
        },
      }),
    }),
  };
}

function roundTrip<E>(event: E): E {
  return JSON.parse(JSON.stringify(event)) as E;
}
