import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after the time, or as soon as the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<undefined> {
  return delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
