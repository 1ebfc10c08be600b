import { type Command, type Decider, type DomainEvent, isRefusal } from '@florin/kernel';

/**
 * Runs the commands in order. After each one, redelivers an accepted command chosen by `again` and expects no events.
 * Returns the events of the commands without the redeliveries.
 */
export function runWithRedeliveries<State, C extends Command<string, unknown>, E extends DomainEvent<string, unknown>>(
  decider: Decider<State, C, E>,
  commands: readonly C[],
  again: readonly number[],
): readonly E[] {
  let state = decider.initialState();
  const log: E[] = [];
  const accepted: C[] = [];
  commands.forEach((command, index) => {
    const decision = decider.decide(command, state);
    if (!isRefusal(decision)) {
      accepted.push(command);
      for (const event of decision) state = decider.evolve(state, event);
      log.push(...decision);
    }
    const old = accepted[(again[index] ?? 0) % Math.max(1, accepted.length)];
    const redelivered = old === undefined ? [] : decider.decide(old, state);
    if (!isRefusal(redelivered)) expect(redelivered).toEqual([]);
  });
  return log;
}
