import type { ApiResponse } from './api-promise';
import { ApiError } from './errors';
import { exchange, type Received } from './exchange';
import type { Attempt, AttemptOutcome } from './hooks';
import type { Configuration } from './options';
import type { PreparedRequest } from './prepared-request';
import { readResponse } from './read-response';
import { retryDelayOf } from './retry';
import { sleep } from './sleep';

interface Result {
  readonly received?: Received;
  readonly success?: ApiResponse<unknown>;
  readonly error?: unknown;
}

/** Sends the request until it succeeds, fails permanently, or has been repeated often enough. */
export async function send(configuration: Configuration, request: PreparedRequest): Promise<ApiResponse<unknown>> {
  const { hooks, retryDelayMs } = configuration;
  const { maxRetries, signal } = request;
  let mayBeProcessed = false;
  for (let number = 1; ; number += 1) {
    const attempt = attemptOf(request, number);
    await hooks.onRequest?.(attempt);
    const startedAt = performance.now();
    const { received, success, error } = await tryOnce(configuration, request, attempt, mayBeProcessed);
    const outcome = { durationMs: performance.now() - startedAt, ...statusOf(received) };
    if (success !== undefined) {
      await hooks.onResponse?.(attempt, outcome);
      return success;
    }
    const retryInMs = signal?.aborted ? undefined : retryDelayOf(error, number, { maxRetries, retryDelayMs });
    await hooks.onResponse?.(attempt, { ...outcome, error, ...(retryInMs !== undefined && { retryInMs }) });
    if (retryInMs === undefined) throw error;
    mayBeProcessed ||= !ApiError.is(error, 'rate_limited');
    await sleep(retryInMs, signal);
  }
}

async function tryOnce(
  configuration: Configuration,
  request: PreparedRequest,
  { headers, number }: Attempt,
  mayBeProcessed: boolean,
): Promise<Result> {
  let received: Received | undefined;
  try {
    received = await exchange(configuration, request, headers, number);
    return { received, success: readResponse(received, request, number, mayBeProcessed) };
  } catch (error) {
    return { ...(received && { received }), error };
  }
}

function attemptOf({ method, route, url, headers, idempotencyKey }: PreparedRequest, number: number): Attempt {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  return { method, route, url, number, ...key, headers: new Headers(headers) };
}

function statusOf(received: Received | undefined): Pick<AttemptOutcome, 'status' | 'requestId'> {
  if (received === undefined) return {};
  const requestId = received.response.headers.get('x-request-id');
  return { status: received.response.status, ...(requestId !== null && { requestId }) };
}
