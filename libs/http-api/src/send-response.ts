import type { FastifyReply } from 'fastify';
import { type ApiResponse, RawText } from './api-response';

export function sendResponse(reply: FastifyReply, { status, body, headers, replayed }: ApiResponse): void {
  reply.code(status);
  if (headers !== undefined) reply.headers(headers);
  if (replayed === true) reply.header('idempotent-replayed', 'true');
  if (body === undefined) reply.send();
  else if (body instanceof RawText) reply.header('content-type', body.contentType).send(body.text);
  else reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
}
