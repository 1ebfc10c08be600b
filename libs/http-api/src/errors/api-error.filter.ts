import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReadCanceled } from '@florin/read-models';
import type { HttpApiOptions } from '../http-api-options';
import type { ApiError } from './api-error';
import { toApiError } from './to-api-error';

/** Handles errors of handlers, rejections by Fastify, and unknown paths. Details of internal errors are only logged. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(private readonly options: Pick<HttpApiOptions, 'log' | 'isTransient'>) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const apiError = toApiError(error, this.options.isTransient ?? (() => false));
    const { statusCode, message, code, headers } = apiError;
    if (statusCode >= 500 && !(error instanceof ReadCanceled)) this.log(apiError, request);
    if (reply.sent) return;
    if (headers !== undefined) reply.headers(headers);
    reply.code(statusCode).header('content-type', 'application/json; charset=utf-8');
    reply.send({ statusCode, message, code, requestId: request.id });
  }

  private log(error: ApiError, { id, caller }: FastifyRequest): void {
    const details = { err: error.cause ?? error, requestId: id, companyId: caller?.companyId };
    if (error.statusCode === 503) this.options.log.warn(details, 'The request failed because of an outage');
    else this.options.log.error(details, 'The request failed unexpectedly');
  }
}
