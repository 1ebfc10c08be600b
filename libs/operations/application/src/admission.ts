/**
 * Lets everybody in while it is open. Otherwise one gets in for every grant, in the order in which they came, and one
 * where nobody is inside, so that it never stands still.
 */
export class Admission {
  private readonly line: (() => void)[] = [];
  private inside = 0;
  private grants = 0;

  /** `checkLine` is told how many wait already when one more comes, and throws where that is too many. */
  constructor(
    private readonly isOpen: () => boolean,
    private readonly checkLine: (waiting: number) => void,
  ) {}

  /** How many are inside at this moment. */
  get count(): number {
    return this.inside;
  }

  async pass<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.line.length === 0 && this.hasPlace()) this.inside += 1;
    else await this.waitInLine();
    try {
      return await task();
    } finally {
      this.inside -= 1;
      this.letIn();
    }
  }

  /** For whoever waits longest. Where nobody waits it is kept for nobody. */
  grant(): void {
    if (this.line.length === 0) return;
    this.grants += 1;
    this.letIn();
  }

  private async waitInLine(): Promise<void> {
    this.checkLine(this.line.length);
    await new Promise<void>((resolve) => this.line.push(resolve));
  }

  private hasPlace(): boolean {
    return this.inside === 0 || this.grants > 0 || this.isOpen();
  }

  /** Whoever is let in counts from now on, so that nobody can slip in between. */
  private letIn(): void {
    while (this.line.length > 0 && this.hasPlace()) {
      this.inside += 1;
      this.grants = Math.max(0, this.grants - 1);
      this.line.shift()!();
    }
    if (this.line.length === 0) this.grants = 0;
  }
}
