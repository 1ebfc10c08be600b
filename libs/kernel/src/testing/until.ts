import { setTimeout as delay } from 'node:timers/promises';

/** Polls a condition. The spec's own timeout is the only limit. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(5);
}
