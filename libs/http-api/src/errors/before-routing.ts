import { randomId } from '@florin/kernel';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { mayExceedLimit } from '../body-size';
import { ApiError, notFound, validationFailed } from './api-error';

/** Responds to a request that Fastify rejects before routing. */
export function respondToUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const apiError =
    error.code === 'FST_ERR_BAD_URL'
      ? validationFailed('The path is not validly percent-encoded: encode every special character as UTF-8.')
      : notFound('Not found: check the id in the path.');
  // Written directly, because the reply has no route and no hooks.
  reply.hijack();
  const { body, headers } = serialize(apiError, request.id);
  if (mayExceedLimit(request.headers)) reply.raw.setHeader('connection', 'close');
  reply.raw.writeHead(apiError.statusCode, headers);
  reply.raw.end(body);
}

/** Responds to invalid or incomplete HTTP. There is no request, only a socket that may still be open. */
export function respondToMalformedHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const apiError = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? tooSlow() : unreadable();
    const { statusCode } = apiError;
    const { body, headers } = serialize(apiError, randomId());
    const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
    socket.write(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroySoon();
}

/** A request is processed only after all of its body was received. */
function tooSlow(): ApiError {
  const message = 'The request was not received completely in time. It was not processed: send it again.';
  return new ApiError('request_timeout', message);
}

function unreadable(): ApiError {
  return validationFailed('The request could not be read: it is not valid HTTP/1.1, or its headers are too large.');
}

function serialize({ statusCode, message, code }: ApiError, requestId: string) {
  const body = JSON.stringify({ statusCode, message, code, requestId });
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
  };
  return { body, headers };
}
