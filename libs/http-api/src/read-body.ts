import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { type ApiError, validationFailed } from './errors/api-error';
import { bodyLimitBytes } from './fastify-adapter';

type Done = (error?: Error) => void;

const jsonType = /^application\/json[ \t]*(;|$)/i;

/** Reads and parses the body of an authorized request. */
export function readJsonBody(request: FastifyRequest, reply: FastifyReply, done: Done): void {
  if (hasBody(request) && !jsonType.test(request.headers['content-type'] ?? '')) {
    return reject(request, reply, done, notJson());
  }
  readBytes(request, reply, (error, bytes) => done(error ?? (bytes && parseInto(request, bytes))));
}

/** Reads the body as text, for a handler that verifies a signature of its exact bytes. */
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

/** Reads the bytes and hides the body from Fastify, whose parser more than doubles the cost of a request: see ADR 9. */
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
  if (Number(headers['content-length']) > bodyLimitBytes) return reject(request, reply, done, tooLarge());
  const chunks: Buffer[] = [];
  let received = 0;
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received <= bodyLimitBytes) return void chunks.push(chunk);
    raw.off('data', onData).off('end', onEnd);
    reject(request, reply, done, tooLarge());
  };
  const onEnd = (): void => {
    hideBody(request);
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    done(undefined, bytes?.length === 0 ? undefined : bytes);
  };
  raw.on('data', onData).once('end', onEnd).once('error', done);
}

function hideBody({ headers }: FastifyRequest): void {
  // Not `delete`, which would switch the headers to the slow dictionary mode of V8.
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

/** Discards the rest of the body, and closes the connection so that the client stops sending it. */
function reject(request: FastifyRequest, reply: FastifyReply, done: Done, error: ApiError): void {
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
  return validationFailed(`The body is larger than ${bodyLimitBytes / 1_024} KiB: send less.`);
}
