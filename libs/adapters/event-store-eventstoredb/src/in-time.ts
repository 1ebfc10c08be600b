import { NoResponse } from './append-failures';

/** Rejects with `NoResponse` after the timeout. */
export async function inTime<Answer>(
  answer: Promise<Answer>,
  timeoutMs: number,
  onTimeout: () => void = () => undefined,
): Promise<Answer> {
  let timer: NodeJS.Timeout;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onTimeout();
      reject(new NoResponse(`The server has not responded within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer!);
  }
}
