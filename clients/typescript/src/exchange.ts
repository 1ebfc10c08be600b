import { ConnectionError, TimeoutError } from './errors';
import type { Configuration } from './options';
import { failedRequest, type PreparedRequest } from './prepared-request';

/** A response with its whole body. */
export interface Received {
  readonly response: Response;
  readonly text: string;
}

/** One attempt. Throws the reason of an aborted signal, or a `ConnectionError` if there is no complete response. */
export async function exchange(
  { apiKey, fetch }: Configuration,
  request: PreparedRequest,
  ownHeaders: Headers,
  number: number,
): Promise<Received> {
  const { method, url, body, timeoutMs, signal } = request;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, timeoutMs);
  // A copy, so that no hook sees the key.
  const headers = new Headers(ownHeaders);
  headers.set('authorization', `Bearer ${apiKey}`);
  try {
    // A redirect would send the key to another address.
    const response = await fetch(url, { method, headers, body, redirect: 'manual', signal: controller.signal });
    return { response, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const failed = failedRequest(request, number);
    if (isLate) throw new TimeoutError(`${method} ${request.path} had no response within ${timeoutMs} ms.`, failed);
    throw new ConnectionError(`${method} ${url} failed: ${reasonOf(cause)}`, failed, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Node says only "fetch failed", and has the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: unknown };
  const detail = cause instanceof Error ? cause.message || (cause as { code?: string }).code : undefined;
  return detail ? `${error.message} (${detail})` : error.message;
}
