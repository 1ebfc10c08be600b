import type { Actor } from '@florin/kernel';
import { applyDecorators, Delete, Get, Patch, Post, Put, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Caller } from './caller';
import type { AnyEndpoint, EndpointDefinition, OperatorEndpointDefinition, Schema } from './endpoint-definition';
import type { Idempotency } from './idempotency/idempotency';
import { readInput } from './read-input';
import type { paramsOf } from './ids';

type OutputOf<S extends Schema> = S extends z.ZodType ? z.output<S> : undefined;

/** What every request has. */
export interface RequestOrigin {
  readonly requestId: string;
  /** W3C trace context as the client sent it. */
  readonly traceparent?: string;
  /** Who sent it. */
  readonly actor: Actor;
}

/** A request to the operator API, validated. The type parameters are the schemas: `OperatorInput<typeof body>`. */
export interface OperatorInput<
  Body extends Schema = undefined,
  Query extends Schema = undefined,
  Params extends Schema = undefined,
> extends RequestOrigin {
  readonly body: OutputOf<Body>;
  readonly query: OutputOf<Query>;
  readonly params: OutputOf<Params>;
  /** The `Accept` header, for responses with more than one format. */
  readonly accept?: string;
  /** Method and route, for example `GET /api/v1/operations`. */
  readonly endpoint: string;
  /** Present when the client sent an `Idempotency-Key`; always present if the endpoint requires one. */
  readonly idempotency?: Idempotency;
}

/** A request to the public API, validated and authorized. The type parameters are the schemas: `Input<typeof body>`. */
export interface Input<
  Body extends Schema = undefined,
  Query extends Schema = undefined,
  Params extends Schema = undefined,
> extends OperatorInput<Body, Query, Params> {
  readonly caller: Caller;
}

/** The parameters of `/things/:id`. */
export type IdParams = ReturnType<typeof paramsOf>;
/** Requests to `/things/:id`. */
export type IdInput<Body extends Schema = undefined> = Input<Body, undefined, IdParams>;
export type OperatorIdInput<Body extends Schema = undefined> = OperatorInput<Body, undefined, IdParams>;

/** A body that is sent unchanged: CSV, or JSON that the database has serialized. */
export class RawText {
  constructor(
    readonly text: string,
    readonly contentType: string,
  ) {}
}

/** A JSON body that is sent in parts, as they are read. If reading fails, the connection is closed. */
export class JsonStream {
  constructor(
    readonly parts: AsyncIterable<string>,
    /** Called when the response has ended, complete or not. */
    readonly onClose: () => void,
  ) {}
}

interface ResponseOptions {
  /** If it differs from the one in the definition of the endpoint. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether this is the response to an earlier request; sent as `Idempotent-Replayed: true`. */
  readonly replayed?: boolean;
}

/** A body that is sent with additional headers, or with another status than the usual one. */
export class ApiResponse<const Body = unknown> {
  constructor(
    readonly body: Body,
    readonly options: ResponseOptions,
  ) {}
}

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

type BodyOf<Success extends Schema> = Success extends z.ZodType ? DeepReadonly<z.output<Success>> : unknown;

/** The response that an endpoint's schema describes, for return types such as `Promise<ResponseOf<typeof balance>>`. */
export type ResponseOf<Success extends Schema> = BodyOf<Success> | ApiResponse<BodyOf<Success>> | RawText | JsonStream;

/**
 * Makes a method an endpoint of the public API: `(input: Input<…>) => Promise<ResponseOf<…>>`. Authentication, rate limits,
 * validation, idempotency, errors and documentation follow from the definition. The compiler checks the method against it.
 */
export function Endpoint<
  Body extends Schema = undefined,
  Query extends Schema = undefined,
  Params extends Schema = undefined,
  Success extends Schema = undefined,
>(definition: EndpointDefinition<Body, Query, Params, Success>) {
  return <Method extends (input: Input<Body, Query, Params>) => Promise<ResponseOf<Success>>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => route(definition, target, key, descriptor);
}

/** The same for the operator API, which requires the operator token. */
export function OperatorEndpoint<
  Body extends Schema = undefined,
  Query extends Schema = undefined,
  Params extends Schema = undefined,
  Success extends Schema = undefined,
>(definition: Omit<OperatorEndpointDefinition<Body, Query, Params, Success>, 'operator'>) {
  return <Method extends (input: OperatorInput<Body, Query, Params>) => Promise<ResponseOf<Success>>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => route({ ...definition, operator: true }, target, key, descriptor);
}

const routeDecorators = { GET: Get, POST: Post, PUT: Put, PATCH: Patch, DELETE: Delete };

/**
 * Nest's guards, pipes and interceptors cost more than all checks together, so they are not used: the route gets only the
 * Fastify reply, which has the request, and calls the method with the validated input.
 */
function route<Method>(
  definition: AnyEndpoint,
  target: object,
  key: string,
  descriptor: TypedPropertyDescriptor<Method>,
): void {
  const method = descriptor.value as (input: unknown) => Promise<unknown>;
  const { status } = definition.response;
  const read = readInput(definition);
  async function handle(this: unknown, reply: FastifyReply): Promise<void> {
    sendResponse(reply, status, await method.call(this, read(reply)));
  }
  descriptor.value = handle as Method;
  Res()(target, key, 0);
  const config: { endpoint: AnyEndpoint } = { endpoint: definition };
  applyDecorators(routeDecorators[definition.method](definition.path), RouteConfig(config))(target, key, descriptor);
}

function sendResponse(reply: FastifyReply, status: number, result: unknown): void {
  reply.code(status);
  if (!(result instanceof ApiResponse)) return sendBody(reply, result);
  const { headers, replayed } = result.options;
  if (result.options.status !== undefined) reply.code(result.options.status);
  if (headers !== undefined) reply.headers(headers);
  if (replayed === true) reply.header('idempotent-replayed', 'true');
  sendBody(reply, result.body);
}

const json = 'application/json; charset=utf-8';

function sendBody(reply: FastifyReply, body: unknown): void {
  if (body === undefined) reply.send();
  else if (body instanceof RawText) reply.header('content-type', body.contentType).send(body.text);
  else if (body instanceof JsonStream)
    reply.header('content-type', json).send(Readable.from(body.parts).once('close', body.onClose));
  else reply.header('content-type', json).send(JSON.stringify(body));
}
