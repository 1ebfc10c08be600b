import { WaitTimeoutError } from './errors';
import { sleep } from './sleep';

export interface WaitOptions {
  /** How long to wait; 60,000 by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Short at first, because most operations complete within a second; then longer, because each read counts as a request. */
const [firstPauseMs, maxPauseMs] = [200, 5_000];

/** Reads until the condition holds and returns what was read. The pauses grow. */
export async function waitUntil<Subject>(
  read: (signal?: AbortSignal) => Promise<Subject>,
  holds: (subject: Subject) => boolean,
  describe: (subject: Subject) => string,
  { timeoutMs = 60_000, signal }: WaitOptions,
): Promise<Subject> {
  const deadline = Date.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    const subject = await read(signal);
    if (holds(subject)) return subject;
    const leftMs = deadline - Date.now();
    if (leftMs <= 0) throw new WaitTimeoutError(`${describe(subject)} after ${timeoutMs} ms.`, subject);
    await sleep(Math.min(pauseMs, leftMs), signal);
  }
}
