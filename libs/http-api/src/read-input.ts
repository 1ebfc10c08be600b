import { type Actor, canonicalJson } from '@florin/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type AnyEndpoint, isOperatorEndpoint, type Schema } from './endpoint-definition';
import { ApiError, notFound, validationFailed } from './errors/api-error';
import { idempotencyOf, readIdempotencyKey } from './idempotency/idempotency';
import type { OperatorIdentity } from './auth/operator-authenticator';
import type { Caller } from './caller';
import { disconnectionOf } from './disconnection';
import { parse, shortened } from './parse';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the request authorizer on every request to the public API. */
    caller: Caller | null;
    /** Set by the request authorizer on every request to the operator API. */
    operator: OperatorIdentity | null;
  }
}

/**
 * Returns the input reader of an endpoint. It checks in the documented order: headers, query and body, then the sandbox
 * rule, then the path, because an invalid id is not found.
 */
export function readInput(definition: AnyEndpoint): (reply: FastifyReply) => unknown {
  const endpoint = `${definition.method} ${definition.path}`;
  const ofCompany = isOperatorEndpoint(definition) ? undefined : definition;
  const isRead = definition.method === 'GET';
  const bodyReader = isRead ? () => undefined : readBody(definition.body);
  return (reply) => {
    const { request } = reply;
    const { headers } = request;
    const caller = ofCompany && callerOf(request);
    const actor: Actor = caller ? { kind: 'api_key', id: caller.keyId } : operatorOf(request);
    const key = readKey(definition, headers['idempotency-key']);
    const query = readQuery(definition.query, request.query as Record<string, unknown>);
    const body = bodyReader(request.body);
    if (ofCompany?.sandboxOnly && caller?.environment !== 'sandbox') throw outsideSandbox();
    const params = readParams(definition.params, request.params);
    return {
      requestId: request.id,
      traceparent: readTraceparent(headers.traceparent),
      actor,
      accept: headers.accept,
      endpoint,
      query,
      body,
      params,
      caller: caller && isRead ? { ...caller, disconnection: disconnectionOf(reply.raw) } : caller,
      idempotency:
        key === undefined ? undefined : idempotencyOf(senderOf(caller, actor), target(endpoint, params), key, body),
    };
  };
}

/** Fails if the request was not authorized, for example because `installHttp` was not called. */
function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw unauthenticated(request);
  return request.caller;
}

function operatorOf(request: FastifyRequest): Actor {
  if (request.operator === null) throw unauthenticated(request);
  return { kind: 'operator', id: request.operator.id };
}

function unauthenticated({ routeOptions }: FastifyRequest): Error {
  return new Error(`${routeOptions.url} was reached without authentication`);
}

function senderOf(caller: Caller | undefined, actor: Actor): readonly [string, string] {
  return caller === undefined ? [actor.kind, actor.id] : [caller.companyId, caller.environment];
}

function readKey(definition: AnyEndpoint, header: string | string[] | undefined): string | undefined {
  if (definition.method !== 'POST' || definition.idempotency === 'items') return undefined;
  if (isOperatorEndpoint(definition) && definition.idempotency === undefined) return undefined;
  return readIdempotencyKey(header, definition.idempotency === 'required');
}

function target(endpoint: string, params: unknown): string {
  return params === undefined ? endpoint : `${endpoint} ${canonicalJson(params)}`;
}

function outsideSandbox(): ApiError {
  return new ApiError('sandbox_only', 'This endpoint exists in the sandbox only: use a sandbox key (fl_test_…).');
}

/** Rejects unknown and repeated parameters: a misspelled filter must not return everything. */
function readQuery(schema: Schema, query: Record<string, unknown>): unknown {
  for (const name in query) {
    if (Array.isArray(query[name]))
      throw validationFailed(`Query parameter ${shortened(name)} is sent more than once: send it once.`);
    if (schema === undefined)
      throw validationFailed(`Unknown query parameter ${shortened(name)}: this endpoint has none.`);
  }
  if (schema === undefined) return undefined;
  const hasMetadata = schema instanceof z.ZodObject && 'metadata' in schema.shape;
  return parse(schema, hasMetadata ? withMetadata(query) : query, 'query parameter');
}

const metadataParameter = /^metadata\[(.*)\]$/s;

/** Turns `metadata[order]=7` into `metadata: { order: '7' }`. */
function withMetadata(query: Record<string, unknown>): Record<string, unknown> {
  const pairs: [string, unknown][] = [];
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    const key = metadataParameter.exec(name)?.[1];
    if (key === undefined) rest.push([name, value]);
    else pairs.push([key, value]);
  }
  if (pairs.length > 0) rest.push(['metadata', Object.fromEntries(pairs)]);
  return Object.fromEntries(rest);
}

function readBody(schema: Schema): (body: unknown) => unknown {
  if (schema === undefined) return refuseBody;
  // If every field is optional, so is the body.
  const mayBeAbsent = schema.safeParse({}).success;
  return (body) => {
    if (body === undefined && !mayBeAbsent) throw validationFailed('A body is required: send a JSON object.');
    if (body === null || typeof (body ?? {}) !== 'object' || Array.isArray(body)) {
      throw validationFailed('The body must be a JSON object.');
    }
    return parse(schema, body ?? {}, 'field');
  };
}

function refuseBody(body: unknown): undefined {
  if (body === undefined || isEmptyObject(body)) return undefined;
  throw validationFailed('This endpoint takes no body: send none, or an empty JSON object.');
}

function isEmptyObject(body: unknown): boolean {
  return body !== null && typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0;
}

function readParams(schema: Schema, params: unknown): unknown {
  if (schema === undefined) return undefined;
  const result = schema.safeParse(params);
  if (!result.success) throw notFound('Not found: check the id in the path.');
  return result.data;
}

const traceparentPattern = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A malformed trace context is ignored, as the W3C standard requires. */
function readTraceparent(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && traceparentPattern.test(header) ? header : undefined;
}
