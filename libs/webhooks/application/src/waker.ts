/** Lets one loop sleep until somebody wakes it. A call that comes while it is awake makes the next sleep end at once. */
export class Waker {
  private woken = false;
  private end: () => void = () => undefined;

  wake(): void {
    if (this.woken) return;
    this.woken = true;
    this.end();
  }

  async wait(longestMs: number): Promise<void> {
    if (!this.woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, longestMs);
        this.end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.woken = false;
  }
}
