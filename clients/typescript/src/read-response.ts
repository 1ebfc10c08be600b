import type { ApiResponse } from './api-promise';
import type { ErrorCode } from './api-types';
import { ApiError } from './errors';
import type { Received } from './exchange';
import { failedRequest, type PreparedRequest } from './prepared-request';
import { readRetryAfter } from './retry';

/** The response as the caller gets it, or an `ApiError`. */
export function readResponse(
  received: Received,
  request: PreparedRequest,
  number: number,
  mayBeProcessed: boolean,
): ApiResponse<unknown> {
  const { response } = received;
  const { status, headers } = response;
  // An earlier attempt has deleted it, and its response was lost.
  const isDeleted = request.method === 'DELETE' && status === 404 && mayBeProcessed;
  if (!response.ok && !isDeleted) throw errorOf(received, request, number);
  return {
    data: response.ok ? dataOf(received, request, number) : undefined,
    ...{ status, headers, requestId: requestIdOf(response), replayed: headers.get('idempotent-replayed') === 'true' },
  };
}

function dataOf(received: Received, request: PreparedRequest, number: number): unknown {
  const { text } = received;
  if (text === '') return undefined;
  if (request.headers['accept'] !== 'application/json') return text;
  const json = parse(text);
  if (json === undefined) throw unexpected(received, request, number);
  return json;
}

function errorOf(received: Received, request: PreparedRequest, number: number): ApiError {
  const { response, text } = received;
  const { code, message, requestId } = (parse(text) ?? {}) as Partial<Record<string, unknown>>;
  if (typeof code !== 'string' || typeof message !== 'string') return unexpected(received, request, number);
  const id = typeof requestId === 'string' ? requestId : requestIdOf(response);
  const failed = failedRequest(request, number);
  return new ApiError(code as ErrorCode, message, response.status, failed, id, retryAfterOf(response));
}

function unexpected({ response }: Received, request: PreparedRequest, number: number): ApiError {
  const { origin } = new URL(request.url);
  const message = `${origin} returned ${response.status} without JSON of Florin: check the baseUrl and the proxies before it.`;
  const failed = failedRequest(request, number);
  const requestId = requestIdOf(response);
  return new ApiError('unexpected_response', message, response.status, failed, requestId, retryAfterOf(response));
}

function requestIdOf({ headers }: Response): string | undefined {
  return headers.get('x-request-id') ?? undefined;
}

function retryAfterOf({ headers }: Response): number | undefined {
  return readRetryAfter(headers.get('retry-after'));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
