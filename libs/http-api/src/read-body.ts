import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { type ApiError, validationFailed } from './errors/api-error';
import { bodyLimitBytes } from './fastify-adapter';

type Done = (error?: Error) => void;

const jsonType = /^application\/json[ \t]*(;|$)/i;

/** Reads the JSON of a request that the gate has let in. */
export function readJsonBody(request: FastifyRequest, reply: FastifyReply, done: Done): void {
  if (hasBody(request) && !jsonType.test(request.headers['content-type'] ?? '')) {
    return refuse(request, reply, done, notJson());
  }
  readBytes(request, reply, (error, bytes) => done(error ?? (bytes && parseInto(request, bytes))));
}

/** The same without a look into it, for what is signed to the letter. */
export function readRawBody(request: FastifyRequest, reply: FastifyReply, done: Done): void {
  readBytes(request, reply, (error, bytes) => {
    if (error !== undefined || bytes === undefined) return done(error);
    if (!isUtf8(bytes)) return done(notUtf8());
    request.body = bytes.toString();
    done();
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Takes the bytes off the socket, and hides from Fastify that there were any: Fastify's own reader binds an AsyncResource
 * to every request, which on Node 20 costs more than all our checks together.
 */
function readBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error: Error | undefined, bytes?: Buffer) => void,
): void {
  const { raw, headers } = request;
  if (!hasBody(request)) {
    hideBody(request);
    return done(undefined);
  }
  if (Number(headers['content-length']) > bodyLimitBytes) return refuse(request, reply, done, tooLarge());
  const chunks: Buffer[] = [];
  let received = 0;
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received <= bodyLimitBytes) return void chunks.push(chunk);
    raw.off('data', onData).off('end', onEnd);
    refuse(request, reply, done, tooLarge());
  };
  const onEnd = (): void => {
    hideBody(request);
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    done(undefined, bytes?.length === 0 ? undefined : bytes);
  };
  raw.on('data', onData).once('end', onEnd).once('error', done);
}

function hideBody({ headers }: FastifyRequest): void {
  // Setting them is far cheaper than deleting, which would turn the headers into a slow dictionary.
  headers['content-type'] = undefined;
  headers['content-length'] = undefined;
  headers['transfer-encoding'] = undefined;
}

function parseInto(request: FastifyRequest, bytes: Buffer): ApiError | undefined {
  if (!isUtf8(bytes)) return notUtf8();
  try {
    request.body = JSON.parse(bytes.toString());
    return undefined;
  } catch {
    return validationFailed('The body is not valid JSON.');
  }
}

/** What is still on its way is not read, so the connection cannot be used again. */
function refuse(request: FastifyRequest, reply: FastifyReply, done: Done, error: ApiError): void {
  reply.header('connection', 'close');
  request.raw.resume();
  done(error);
}

function notUtf8(): ApiError {
  return validationFailed('The body is not UTF-8: encode the JSON as UTF-8.');
}

function notJson(): ApiError {
  return validationFailed('The body must be JSON: send it with "Content-Type: application/json".');
}

function tooLarge(): ApiError {
  return validationFailed('The body is larger than 64 KiB: send less.');
}
