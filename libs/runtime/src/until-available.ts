import { type Backoff, exponentialBackoff } from '@florin/event-sourcing';
import type { Log } from './log';
import type { IsOutage } from './transient';

/** The start of a process, while it waits for its backing services. */
export interface Waiting {
  readonly log: Log;
  /** Ends the wait, so that a process can be stopped during its start. */
  readonly signal: AbortSignal;
  /** Reports what the start waits for, for the readiness of the process. */
  onWaiting(what: string): void;
  /** Between attempts. */
  readonly backoff?: Backoff;
}

/** The process was stopped during its start. */
export class StartCancelled extends Error {
  override readonly name = 'StartCancelled';
}

const defaultBackoff = exponentialBackoff(500, 15_000);

/** Repeats `work` until its dependency is available. Other errors than outages, such as a wrong password, are thrown. */
export async function untilAvailable<Result>(
  dependency: string,
  work: () => Promise<Result>,
  isOutage: IsOutage,
  { log, signal, onWaiting, backoff = defaultBackoff }: Waiting,
): Promise<Result> {
  onWaiting(dependency);
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      onWaiting(`${dependency}: ${reason}`);
      // An outage of hours leads to a few lines.
      if ((tries & (tries - 1)) === 0) log.warn({ reason, tries }, `Waiting for ${dependency}`);
      await backoff.wait(tries, signal);
      if (signal.aborted) throw new StartCancelled(`The start was cancelled while it waited for ${dependency}`);
    }
  }
}

/** Waits for work that retries by itself. */
export async function unlessCancelled<Result>(
  dependency: string,
  work: Promise<Result>,
  { signal, onWaiting }: Waiting,
): Promise<Result> {
  onWaiting(dependency);
  const cancelled = new Promise<never>((_, reject) => {
    const cancel = (): void => reject(new StartCancelled(`The start was cancelled while it waited for ${dependency}`));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
  return Promise.race([work, cancelled]);
}
