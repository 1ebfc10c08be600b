import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpApiOptions } from '../http-api-options';
import { toApiError } from './to-api-error';

export type ErrorResponseOptions = Pick<HttpApiOptions, 'log' | 'isTransient'>;

/** Sends the error response. Details of internal errors are only logged. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ErrorResponseOptions,
): void {
  const { log, isTransient = () => false } = options;
  const apiError = toApiError(error, isTransient);
  const { statusCode, message, code } = apiError;
  if (statusCode >= 500) {
    const details = { err: apiError.cause ?? apiError, requestId: request.id, companyId: request.caller?.companyId };
    if (code === 'unavailable') log.warn(details, 'The request failed because of an outage');
    else log.error(details, 'The request failed unexpectedly');
  }
  if (reply.sent) return;
  if (apiError.headers !== undefined) reply.headers(apiError.headers);
  reply.code(statusCode).header('content-type', 'application/json; charset=utf-8');
  reply.send({ statusCode, message, code, requestId: request.id });
}
