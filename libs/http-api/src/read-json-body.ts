import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { isUtf8 } from 'node:buffer';
import type { ApiError } from './errors/api-error';
import { validationFailed } from './errors/api-error';
import { bodyLimitBytes } from './fastify-adapter';

const jsonType = /^application\/json[ \t]*(;|$)/i;

/**
 * Reads the body of a request that the gate has let in, and hides from Fastify that there was one: Fastify's own reader
 * binds an AsyncResource to every request, which on Node 20 costs more than all our checks together.
 */
export function readJsonBody(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  const { raw, headers } = request;
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    return done(hideBody(request, undefined));
  }
  if (!jsonType.test(headers['content-type'] ?? '')) return refuse(request, reply, done, notJson());
  if (Number(length) > bodyLimitBytes) return refuse(request, reply, done, tooLarge());
  const chunks: Buffer[] = [];
  let received = 0;
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received <= bodyLimitBytes) return void chunks.push(chunk);
    raw.off('data', onData).off('end', onEnd);
    refuse(request, reply, done, tooLarge());
  };
  const onEnd = (): void => done(hideBody(request, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
  raw.on('data', onData).once('end', onEnd).once('error', done);
}

function hideBody(request: FastifyRequest, body: Buffer | undefined): ApiError | undefined {
  const { headers } = request;
  // Setting them is far cheaper than deleting, which would turn the headers into a slow dictionary.
  headers['content-type'] = undefined;
  headers['content-length'] = undefined;
  headers['transfer-encoding'] = undefined;
  if (body === undefined || body.length === 0) return undefined;
  if (!isUtf8(body)) return validationFailed('The body is not UTF-8: encode the JSON as UTF-8.');
  try {
    request.body = JSON.parse(body.toString());
    return undefined;
  } catch {
    return validationFailed('The body is not valid JSON.');
  }
}

/** What is still on its way is not read, so the connection cannot be used again. */
function refuse(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction, error: ApiError): void {
  reply.header('connection', 'close');
  request.raw.resume();
  done(error);
}

function notJson(): ApiError {
  return validationFailed('The body must be JSON: send it with "Content-Type: application/json".');
}

function tooLarge(): ApiError {
  return validationFailed('The body is larger than 64 KiB: send less.');
}
