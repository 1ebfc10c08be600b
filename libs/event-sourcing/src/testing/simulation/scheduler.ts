/** Chooses one of `count` waiting steps. */
export type ChoiceFunction = (count: number) => number;

/** First in, first out. */
export const inOrder: ChoiceFunction = () => 0;

/** The same seed gives the same choices. */
export function seededChoice(seed: number): ChoiceFunction {
  let state = seed >>> 0;
  return (count) => {
    // Mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

interface WaitingStep {
  readonly owner: object;
  readonly proceed: () => void;
}

/**
 * Everything that a replica does outside its memory waits for a step: a read, an append, a message, a response. The
 * scheduler runs one step at a time in the order that `choose` decides, so every interleaving can be produced and reproduced.
 */
export class Scheduler {
  private waiting: WaitingStep[] = [];
  private readonly paused = new Set<object>();

  constructor(public choose: ChoiceFunction) {}

  wait(owner: object): Promise<void> {
    return new Promise((proceed) => this.waiting.push({ owner, proceed }));
  }

  /** The steps of this owner never run. */
  cancel(owner: object): void {
    this.waiting = this.waiting.filter((step) => step.owner !== owner);
  }

  /** The steps of this owner do not run before `resume`. */
  pause(owner: object): void {
    this.paused.add(owner);
  }

  resume(owner: object): void {
    this.paused.delete(owner);
  }

  /** Runs up to `count` steps; false if none was left. */
  async run(count: number): Promise<boolean> {
    for (let done = 0; done < count; done++) {
      await untilAllWait();
      const ready = this.paused.size === 0 ? this.waiting : this.waiting.filter(({ owner }) => !this.paused.has(owner));
      if (ready.length === 0) return false;
      const next = ready[this.choose(ready.length)]!;
      this.waiting.splice(this.waiting.indexOf(next), 1);
      next.proceed();
    }
    await untilAllWait();
    return true;
  }

  async runUntilIdle(): Promise<void> {
    for (let rounds = 0; rounds < 100; rounds++) if (!(await this.run(1_000))) return;
    throw new Error('The simulation is not idle after 100,000 steps');
  }
}

/** A mailbox is processed at the end of an event-loop iteration, and may fill the next one. */
const mailboxesInARow = 3;

/** Lets promises run until each of them waits for a step. */
async function untilAllWait(): Promise<void> {
  for (let iteration = 0; iteration <= mailboxesInARow; iteration++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
