import { applyDecorators, Delete, Get, Patch, Post, Put, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { type ApiResponse, RawText, type ResponseOf } from './api-response';
import type { AnyEndpoint, EndpointDefinition, OperatorEndpointDefinition, Schema } from './endpoint-definition';
import type { Input, OperatorInput } from './input';
import { readInput } from './read-input';

/**
 * Makes a method an endpoint of the public API: `(input: Input<…>) => Promise<ApiResponse>`. Authentication, rate limits,
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
  const method = descriptor.value as (input: unknown) => Promise<ApiResponse>;
  const read = readInput(definition);
  async function handle(this: unknown, reply: FastifyReply): Promise<void> {
    sendResponse(reply, await method.call(this, read(reply.request)));
  }
  descriptor.value = handle as Method;
  Res()(target, key, 0);
  const config: { endpoint: AnyEndpoint } = { endpoint: definition };
  applyDecorators(routeDecorators[definition.method](definition.path), RouteConfig(config))(target, key, descriptor);
}

export function sendResponse(reply: FastifyReply, { status, body, headers, replayed }: ApiResponse): void {
  reply.code(status);
  if (headers !== undefined) reply.headers(headers);
  if (replayed === true) reply.header('idempotent-replayed', 'true');
  if (body === undefined) reply.send();
  else if (body instanceof RawText) reply.header('content-type', body.contentType).send(body.text);
  else reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
}
