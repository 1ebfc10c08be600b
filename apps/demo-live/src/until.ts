import { setTimeout as delay } from 'node:timers/promises';

const timeoutMs = 60_000;

/** Polls every second until the value is as expected. */
export async function until<Value>(
  poll: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  onRetry: () => void = () => undefined,
): Promise<Value> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await poll();
    if (isDone(value)) return value;
    if (Date.now() > deadline) throw new Error(`Timed out after ${timeoutMs / 1_000} s: ${JSON.stringify(value)}`);
    onRetry();
    await delay(1_000);
  }
}
