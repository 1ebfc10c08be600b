import { type Command, type Decider, type DomainEvent, isRefusal } from '@florin/kernel';

type AnyCommand = Command<string, unknown>;
type AnyEvent = DomainEvent<string, unknown>;

/** An accepted command, and the history after it. */
interface Accepted<C, E> {
  readonly command: C;
  readonly history: readonly E[];
}

/** Longer histories test limits; trying every command after each of them would take too long. */
const maxHistoryLength = 50;

/**
 * The bus may redeliver a command at any later time, also after newer commands. So for every accepted command A of a
 * spec and every other command B: redelivering A after A and B changes nothing.
 */
export class RedeliveredCommands<State, C extends AnyCommand, E extends AnyEvent> {
  private readonly cases: Accepted<C, E>[] = [];
  private readonly others = new Map<string, C>();

  constructor(
    private readonly decider: Decider<State, C, E>,
    private readonly fold: (events: readonly E[]) => State,
    private readonly lastingFacts: readonly C['type'][],
  ) {}

  accepted(command: C, history: readonly E[]): void {
    this.others.set(JSON.stringify(command), command);
    if (history.length > maxHistoryLength || this.lastingFacts.includes(command.type)) return;
    this.cases.push({ command, history });
  }

  /** It may be accepted after another history. */
  refused(command: C): void {
    this.others.set(JSON.stringify(command), command);
  }

  expectNoChange(): void {
    for (const { command, history } of this.cases) {
      const first = JSON.stringify(command);
      for (const [second, between] of this.others) {
        if (first === second) continue;
        const later = this.eventsIfPossible(between, history);
        if (later.length === 0) continue;
        const again = this.eventsOf(command, [...history, ...later]);
        if (again.length === 0) continue;
        const sequence = [first, second, first].join('\n  ');
        throw new Error(
          `A redelivered command changes the state after a newer command:\n  ${sequence}\n→ ${JSON.stringify(again)}`,
        );
      }
    }
  }

  private eventsIfPossible(command: C, history: readonly E[]): readonly E[] {
    try {
      return this.eventsOf(command, history);
    } catch {
      return [];
    }
  }

  private eventsOf(command: C, history: readonly E[]): readonly E[] {
    const decision = this.decider.decide(command, this.fold(history));
    return isRefusal(decision) ? [] : decision;
  }
}
