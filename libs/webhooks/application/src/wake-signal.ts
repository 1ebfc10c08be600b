/** Lets a loop sleep until it is woken. A call of `wake` while the loop is awake ends its next sleep immediately. */
export class WakeSignal {
  private woken = false;
  private endSleep: () => void = () => undefined;

  wake(): void {
    if (this.woken) return;
    this.woken = true;
    this.endSleep();
  }

  async sleep(maxMs: number): Promise<void> {
    if (!this.woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, maxMs);
        this.endSleep = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.woken = false;
  }
}
