import { randomId } from '@florin/kernel';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { type ApiError, notFound, validationFailed } from './api-error';

/** Responds to a request that Fastify rejects before routing. */
export function respondToUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const apiError =
    error.code === 'FST_ERR_BAD_URL'
      ? validationFailed('The path is not validly percent-encoded: encode every special character as UTF-8.')
      : notFound('Not found: check the id in the path.');
  // Written directly, because the reply has no route and no hooks.
  reply.hijack();
  const { body, headers } = serialize(apiError, request.id);
  reply.raw.writeHead(apiError.statusCode, headers);
  reply.raw.end(body);
}

/** Responds to invalid or incomplete HTTP. There is no request, only a socket that may still be open. */
export function respondToMalformedHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const apiError = validationFailed(
      'The request could not be read: it is not valid HTTP/1.1, its headers are too large, or it came too slowly.',
    );
    const { body, headers } = serialize(apiError, randomId());
    const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
    socket.write(`HTTP/1.1 400 Bad Request\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroySoon();
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
