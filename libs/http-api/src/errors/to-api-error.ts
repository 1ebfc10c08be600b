import { MailboxFull, NoReply, StaleReadModel } from '@florin/event-sourcing';
import { HttpException } from '@nestjs/common';
import { ApiError, notFound, validationFailed } from './api-error';

/** Turns whatever was thrown into an error that may be shown: a known one with its own words, any other without. */
export function toApiError(error: unknown, isTransient: (error: unknown) => boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (isPassing(error) || isTransient(error)) return unavailable(error);
  const status = statusOf(error);
  if (status === undefined || (status >= 500 && status !== 503)) return internalError(error);
  switch (status) {
    case 404:
    case 405:
    case 414:
      return notFound('There is no such endpoint: see /reference for every path and its method.');
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

/** Nest's exceptions have a method for it, Fastify's errors a property; it is a defect's lack of both that matters. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const isFastifys = error instanceof Error && error.name === 'FastifyError' && 'statusCode' in error;
  return isFastifys ? Number(error.statusCode) : undefined;
}

function isPassing(error: unknown): boolean {
  return error instanceof NoReply || error instanceof MailboxFull || error instanceof StaleReadModel;
}

function unavailable(cause: unknown): ApiError {
  const message = 'The service cannot answer right now: repeat in a moment, a POST with the same Idempotency-Key.';
  return new ApiError('unavailable', message, { 'retry-after': '1' }, { cause });
}

function internalError(cause: unknown): ApiError {
  const message = 'Something went wrong on our side: repeat later, or contact us with the requestId.';
  return new ApiError('internal_error', message, undefined, { cause });
}
