import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 20;

/** Reads again and again until it is so, and gives what was read; fails with the last reading when it takes too long. */
export async function until<Value>(
  what: string,
  read: () => Promise<Value>,
  isSo: (value: Value) => boolean,
  timeoutMs = 15_000,
): Promise<Value> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    if (Date.now() >= deadline) {
      throw new Error(`Waited ${timeoutMs} ms in vain until ${what}; the last reading: ${JSON.stringify(value)}`);
    }
    await delay(pauseMs);
  }
}
