import { isStoreMismatch, isUnreadable, MailboxFull, NoReply, StaleReadModel } from '@florin/event-sourcing';
import { ReadCanceled, ReadQueueFull, ReadTimeout } from '@florin/read-models';
import { HttpException } from '@nestjs/common';
import { ApiError, notFound, validationFailed } from './api-error';

/** Converts any error into an API error. Unexpected errors do not reveal their message. */
export function toApiError(error: unknown, isTransient: (error: unknown) => boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ReadTimeout) return unavailable(error, readTimeout);
  if (error instanceof ReadQueueFull) return unavailable(error, readQueueFull);
  // Its client is gone and never sees the response.
  if (error instanceof ReadCanceled) return unavailable(error);
  if (isUnreadable(error)) return unavailable(error, newerRelease);
  if (isStoreMismatch(error))
    return new ApiError('event_store_mismatch', storeMismatch, { 'retry-after': '60' }, { cause: error });
  if (isTemporary(error) || isTransient(error)) return unavailable(error);
  const status = statusOf(error);
  if (status === undefined || (status >= 500 && status !== 503)) return internalError(error);
  switch (status) {
    case 404:
    case 405:
    case 414:
      return noSuchEndpoint();
    case 413:
      return validationFailed('The body is larger than 64 KiB: send less.');
    case 415:
      return validationFailed('The body must be JSON: send it with "Content-Type: application/json".');
    case 503:
      return unavailable(error);
    default:
      return validationFailed((error as Error).message);
  }
}

export function noSuchEndpoint(): ApiError {
  return notFound('There is no such endpoint: see /reference for all paths and methods.');
}

export function noSuchMethod(allowed: readonly string[]): ApiError {
  const methods = allowed.join(', ');
  return new ApiError('method_not_allowed', `This path has no such method: use ${methods}.`, { allow: methods });
}

/** The status of a Nest exception or a Fastify error; other errors are bugs and have none. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const isFastifyError = error instanceof Error && error.name === 'FastifyError' && 'statusCode' in error;
  return isFastifyError ? Number(error.statusCode) : undefined;
}

function isTemporary(error: unknown): boolean {
  return error instanceof NoReply || error instanceof MailboxFull || error instanceof StaleReadModel;
}

const temporarily = 'The service is temporarily unavailable: retry shortly, a POST with the same Idempotency-Key.';
const storeMismatch =
  'The event store is not the one that this service belongs to, so nothing is stored: retry later, a POST with the same Idempotency-Key.';
const newerRelease =
  'A newer release of Florin has changed this object, and this release cannot process it: retry after the next upgrade, a POST ' +
  'with the same Idempotency-Key.';
const readTimeout =
  'The read took too long and was stopped: request fewer rows with `limit`, a narrower filter or a shorter range, and retry.';
const readQueueFull =
  'Too many reads of this company wait for their result: send fewer requests at the same time, and retry shortly.';

function unavailable(cause: unknown, message = temporarily): ApiError {
  return new ApiError('unavailable', message, { 'retry-after': '1' }, { cause });
}

function internalError(cause: unknown): ApiError {
  const message = 'An unexpected error occurred: retry later, or contact support with the requestId.';
  return new ApiError('internal_error', message, undefined, { cause });
}
