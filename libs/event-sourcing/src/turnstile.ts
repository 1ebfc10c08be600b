/** Lets so many tasks run at once; the others wait in the order in which they came. */
export class Turnstile {
  private readonly line: (() => void)[] = [];

  /** `checkLine` is told how many wait already when one more comes, and throws where that is too many. */
  constructor(
    private free: number,
    private readonly checkLine: (waiting: number) => void = () => undefined,
  ) {}

  async pass<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await this.waitInLine();
    try {
      return await task();
    } finally {
      // Whoever leaves hands over the place, so that nobody can slip in between.
      const next = this.line.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  private async waitInLine(): Promise<void> {
    this.checkLine(this.line.length);
    await new Promise<void>((resolve) => this.line.push(resolve));
  }
}
