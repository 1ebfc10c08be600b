/** Chooses which of so many waiting turns comes next. */
export type Pick = (count: number) => number;

/** In the order in which they began to wait. */
export const inOrder: Pick = () => 0;

/** The same seed, the same choices. */
export function shuffled(seed: number): Pick {
  let state = seed >>> 0;
  return (count) => {
    // Mulberry32: small, and good enough to mix up an order.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

interface Waiting {
  readonly owner: object;
  readonly go: () => void;
}

/**
 * Whatever waits for the world outside a process waits for a turn here: a read, an append, a message, an answer from
 * elsewhere. The driver grants them one by one, in any order it likes, so that every interleaving can be had, and had again.
 */
export class Turns {
  private waiting: Waiting[] = [];
  private readonly paused = new Set<object>();

  constructor(public pick: Pick) {}

  wait(owner: object): Promise<void> {
    return new Promise((go) => this.waiting.push({ owner, go }));
  }

  /** What this owner waits for never comes. */
  drop(owner: object): void {
    this.waiting = this.waiting.filter((turn) => turn.owner !== owner);
  }

  /** Whoever is so slow gets no turn before the others have come to rest and somebody calls `resume`. */
  pause(owner: object): void {
    this.paused.add(owner);
  }

  resume(owner: object): void {
    this.paused.delete(owner);
  }

  /** Grants up to so many turns; false when there was nothing left to wait for. */
  async grant(count: number): Promise<boolean> {
    for (let granted = 0; granted < count; granted++) {
      await untilIdle();
      const ready = this.paused.size === 0 ? this.waiting : this.waiting.filter(({ owner }) => !this.paused.has(owner));
      if (ready.length === 0) return false;
      const next = ready[this.pick(ready.length)]!;
      this.waiting.splice(this.waiting.indexOf(next), 1);
      next.go();
    }
    await untilIdle();
    return true;
  }

  /** Until nobody waits any more. A flow that never comes to rest is a defect. */
  async grantAll(): Promise<void> {
    for (let rounds = 0; rounds < 100; rounds++) if (!(await this.grant(1_000))) return;
    throw new Error('The flow did not come to rest within 100,000 turns');
  }
}

/** A mailbox is opened at the end of a turn of the event loop, and what comes out of it may go into the next one. */
const mailboxesInARow = 3;

/** Promises run until each of them waits for something outside. */
async function untilIdle(): Promise<void> {
  for (let turn = 0; turn <= mailboxesInARow; turn++) await new Promise((resolve) => setImmediate(resolve));
}
