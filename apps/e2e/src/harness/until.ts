import { setTimeout as delay } from 'node:timers/promises';

const [minPauseMs, maxPauseMs] = [10, 200];

/** Reads until the condition holds and returns the last reading. The pauses grow, so that many waits cost little CPU. */
export async function until<Value>(
  condition: string,
  read: () => Promise<Value>,
  holds: (value: Value) => boolean,
  timeoutMs = 15_000,
): Promise<Value> {
  const deadline = Date.now() + timeoutMs;
  for (let pauseMs = minPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() >= deadline) {
      throw new Error(`Waited ${timeoutMs} ms until ${condition}; the last reading: ${JSON.stringify(value)}`);
    }
    await delay(pauseMs);
  }
}
