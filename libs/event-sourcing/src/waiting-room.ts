/** Those who wait for the same thing to happen, each no longer than a signal of its own allows. */
export class WaitingRoom {
  private readonly waiting = new Set<(error?: unknown) => void>();

  /** Resolves when all are woken next, or the signal aborts; rejects when they are woken by an error. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve, reject) => {
      const wake = (error?: unknown): void => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', onAbort);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = (): void => wake();
      this.waiting.add(wake);
      signal.addEventListener('abort', onAbort);
    });
  }

  wakeAll(error?: unknown): void {
    for (const wake of [...this.waiting]) wake(error);
  }
}
