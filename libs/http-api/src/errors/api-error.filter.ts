import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorResponseOptions, sendError } from './send-error';

/** Handles errors of handlers, rejections by Fastify, and unknown paths. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  constructor(private readonly options: ErrorResponseOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.options);
  }
}
