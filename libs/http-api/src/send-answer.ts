import type { FastifyReply } from 'fastify';
import { type Answer, RawText } from './answer';

export function sendAnswer(reply: FastifyReply, { status, body, headers, replayed }: Answer): void {
  reply.code(status);
  if (headers !== undefined) reply.headers(headers);
  if (replayed === true) reply.header('idempotent-replayed', 'true');
  if (body === undefined) reply.send();
  else if (body instanceof RawText) reply.header('content-type', body.contentType).send(body.text);
  else reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
}
