/**
 * Lets so many through at once while the others wait in line. A server under load answers a few calls in time, but none
 * of thousands: each would run into its time limit, be repeated, and make the crowd larger.
 */
export class Turnstile {
  private inside = 0;
  private readonly line: (() => void)[] = [];

  constructor(
    private readonly places: number,
    private readonly longestLine: number,
  ) {}

  async pass<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.inside < this.places) this.inside += 1;
    else await this.waitInLine();
    try {
      return await work();
    } finally {
      const next = this.line.shift();
      if (next === undefined) this.inside -= 1;
      else next();
    }
  }

  /** Whoever leaves hands over the place, so that nobody can slip in between. */
  private async waitInLine(): Promise<void> {
    if (this.line.length >= this.longestLine) throw new EventStoreOverloaded();
    await new Promise<void>((resolve) => this.line.push(resolve));
  }
}

/** More is waiting than can be carried out in reasonable time. */
export class EventStoreOverloaded extends Error {
  constructor() {
    super('Too many calls are waiting for the event store, and this one was not begun; try again in a moment');
    this.name = 'EventStoreOverloaded';
  }
}
