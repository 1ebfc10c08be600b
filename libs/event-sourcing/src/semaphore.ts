/** Lets so many tasks run at once; the others wait in the order in which they came. */
export class Semaphore {
  private readonly line: (() => void)[] = [];
  private inside = 0;

  /**
   * `most` may change with time: it is asked for whenever somebody comes or leaves. `checkLine` is told how many wait already
   * when one more comes, and throws where that is too many.
   */
  constructor(
    private readonly most: () => number,
    private readonly checkLine: (waiting: number) => void = () => undefined,
  ) {}

  /** How many tasks run at this moment. */
  get count(): number {
    return this.inside;
  }

  async pass<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.line.length === 0 && this.inside < this.most()) this.inside += 1;
    else await this.waitInLine();
    try {
      return await task();
    } finally {
      this.inside -= 1;
      this.letIn();
    }
  }

  /** Lets the one in who has waited longest, however many are inside. Where nobody waits it is kept for nobody. */
  admit(): void {
    if (this.line.length === 0) return;
    this.letNextIn();
    this.letIn();
  }

  private async waitInLine(): Promise<void> {
    this.checkLine(this.line.length);
    await new Promise<void>((resolve) => this.line.push(resolve));
  }

  /** One gets in even where none should. */
  private letIn(): void {
    const most = Math.max(1, this.most());
    while (this.line.length > 0 && this.inside < most) this.letNextIn();
  }

  /** Whoever is let in counts from now on, so that nobody can slip in between. */
  private letNextIn(): void {
    this.inside += 1;
    this.line.shift()!();
  }
}
