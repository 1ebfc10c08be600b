/** Nobody waits for the answer any more. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
}

/** The work's own outcome, or a rejection as soon as the signal aborts; what the work comes to later is nobody's. */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Aborted('It was aborted'));
    const settled = (): void => signal.removeEventListener('abort', abort);
    void work.then(resolve, reject).finally(settled);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
  });
}
