import { setTimeout as delay } from 'node:timers/promises';

/** Waits for what announces itself to nobody; the spec's own time limit is the only one. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(5);
}
