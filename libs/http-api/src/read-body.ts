import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { bodyLimitBytes, hasBody, mayExceedLimit } from './body-size';
import { ApiError, validationFailed } from './errors/api-error';
import { parseJson } from './parse-json';

type Done = (error?: Error) => void;

const jsonType = /^application\/json[ \t]*(;|$)/i;
const charsetParameter = /;[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)/i;

/** A response closes the connection unless the body was read: a rejected client must not send on without end. */
export function closeUnlessRead({ headers }: FastifyRequest, reply: FastifyReply, limitBytes?: number): void {
  if (mayExceedLimit(headers, limitBytes)) reply.header('connection', 'close');
}

/** Reads and parses the body of an authorized request. */
export function readJsonBody(
  request: FastifyRequest,
  reply: FastifyReply,
  limitBytes: number | undefined,
  done: Done,
): void {
  if (hasBody(request.headers)) {
    const contentType = request.headers['content-type'] ?? '';
    if (!jsonType.test(contentType)) return reject(request, reply, done, notJson());
    const [, charset = 'utf-8'] = charsetParameter.exec(contentType) ?? [];
    if (charset.toLowerCase() !== 'utf-8') return reject(request, reply, done, otherCharset());
  }
  readBytes(request, reply, limitBytes, (error, bytes) => done(error ?? (bytes && parseInto(request, bytes))));
}

/** Reads the body as text, for a handler that verifies a signature of its exact bytes. */
export function readRawBody(request: FastifyRequest, reply: FastifyReply, done: Done): void {
  readBytes(request, reply, undefined, (error, bytes) => {
    if (error !== undefined || bytes === undefined) return done(error);
    if (!isUtf8(bytes)) return done(notUtf8());
    request.body = bytes.toString();
    done();
  });
}

/** Reads the bytes and hides the body from Fastify, whose parser more than doubles the cost of a request: see ADR 9. */
function readBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  limitBytes = bodyLimitBytes,
  done: (error: Error | undefined, bytes?: Buffer) => void,
): void {
  const { raw, headers } = request;
  if (!hasBody(headers)) {
    hideBody(request);
    return done(undefined);
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    return reject(request, reply, done, encoded());
  }
  if (Number(headers['content-length']) > limitBytes) return reject(request, reply, done, tooLarge(limitBytes));
  const chunks: Buffer[] = [];
  let received = 0;
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received <= limitBytes) return void chunks.push(chunk);
    raw.off('data', onData).off('end', onEnd);
    reject(request, reply, done, tooLarge(limitBytes));
  };
  const onEnd = (): void => {
    if (mayExceedLimit(headers, limitBytes)) reply.removeHeader('connection');
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

function parseInto(request: FastifyRequest, bytes: Buffer): Error | undefined {
  if (!isUtf8(bytes)) return notUtf8();
  try {
    request.body = parseJson(bytes.toString());
    return undefined;
  } catch (error) {
    return error as Error;
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

function otherCharset(): ApiError {
  const message = 'The charset of the body is not supported: encode the JSON as UTF-8, or send no charset.';
  return new ApiError('unsupported_media_type', message);
}

function encoded(): ApiError {
  const message = 'The Content-Encoding of the body is not supported: send the body without compression.';
  return new ApiError('unsupported_media_type', message, { 'accept-encoding': 'identity' });
}

function tooLarge(limitBytes: number): ApiError {
  return validationFailed(`The body is larger than ${limitBytes / 1_024} KiB: send less.`);
}
