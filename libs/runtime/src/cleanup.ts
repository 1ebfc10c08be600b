/** Closes in reverse order what was opened. */
export class Cleanup {
  isRunning = false;
  private readonly functions: (() => Promise<unknown>)[] = [];

  add(cleanUp: () => Promise<unknown>): void {
    this.functions.push(cleanUp);
  }

  async run(): Promise<void> {
    this.isRunning = true;
    for (const cleanUp of this.functions.splice(0).reverse()) await cleanUp();
  }
}
