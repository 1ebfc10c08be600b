/** Tasks wait until another one calls `notifyAll`, each with its own abort signal. */
export class ConditionVariable {
  private readonly waiting = new Set<(error?: unknown) => void>();

  /** Resolves at the next `notifyAll` or when the signal aborts. Rejects when `notifyAll` is called with an error. */
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

  notifyAll(error?: unknown): void {
    for (const wake of [...this.waiting]) wake(error);
  }
}
