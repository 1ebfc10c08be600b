/** The caller has stopped waiting. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
}

/** The outcome of the work, or a rejection as soon as the signal aborts. A later outcome is ignored. */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Aborted('Aborted'));
    const settled = (): void => signal.removeEventListener('abort', abort);
    void work.then(resolve, reject).finally(settled);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
  });
}
