import { serialize } from 'node:v8';
import {
  type AnyAggregate,
  type CommandOf,
  type EventOf,
  isRefusal,
  retainedRequests,
  type StateOf,
} from '@florin/kernel';

type ChangeOf<A extends AnyAggregate> = (requestId: string, requestedAt: string) => CommandOf<A>;

/** Expects that old requests are forgotten, and that their repeats are rejected although they are not remembered. */
export function expectBoundedRequests<A extends AnyAggregate>(
  aggregate: A,
  history: readonly EventOf<A>[],
  changeOf: ChangeOf<A>,
): void {
  const { min, forMs } = retainedRequests;
  const count = 50 * min;
  const startMs = Date.parse('2030-01-01T00:00:00.000Z');
  const change = (number: number) => changeOf(`r${number}`, new Date(startMs + number * forMs).toISOString());
  const decide = (command: CommandOf<A>, state: StateOf<A>) =>
    aggregate.decide(command, state) as ReturnType<AnyAggregate['decide']>;

  let state: StateOf<A> = history.reduce<StateOf<A>>(aggregate.evolve, aggregate.initialState());
  for (let number = 0; number < count; number += 1) {
    const decision = decide(change(number), state);
    if (isRefusal(decision)) throw new Error(`Request ${number} was refused: ${decision.message}`);
    expect(decision).not.toEqual([]);
    state = decision.reduce<StateOf<A>>(aggregate.evolve, state);
  }
  expect(serialize(state).length).toBeLessThan(200 * min);
  expect(decide(change(count - 1), state)).toEqual([]);
  expect(decide(change(count - min), state)).toEqual([]);
  for (const forgotten of [0, count - min - 1]) {
    expect(decide(change(forgotten), state)).toMatchObject({ refused: 'request_outdated' });
  }
}
