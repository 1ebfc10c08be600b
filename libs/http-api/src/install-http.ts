import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { ApiErrorFilter } from './errors/api-error.filter';
import { ApiError, validationFailed } from './errors/api-error';
import { Gate } from './gate';
import { HTTP_API_OPTIONS, type HttpApiOptions } from './http-api-options';
import type { Log } from './log';
import { EndpointRegistry } from './openapi/endpoint-registry';
import { requestContext } from './request-context';

/** Call it after creating the application and before `init` or `listen`: Nest registers its routes there. */
export function installHttp(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const options = app.get<HttpApiOptions>(HTTP_API_OPTIONS);
  app.useGlobalFilters(new ApiErrorFilter(options));
  acceptJsonOnly(app, fastify);
  collectEndpoints(fastify, app.get(EndpointRegistry));
  guardRequests(fastify, app.get(Gate));
  if (options.requestContext === true) enterContexts(fastify);
  if (options.accessLog !== false) logRequests(fastify, options.log);
}

/** Nest would add a parser for forms, and Fastify has one for plain text. */
function acceptJsonOnly(app: NestFastifyApplication, fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  app.useBodyParser('application/json', {}, (_request, body, done) => {
    const parsed = parseJson(body);
    if (parsed instanceof ApiError) done(parsed);
    else done(null, parsed);
  });
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) return validationFailed('The body is not UTF-8: encode the JSON as UTF-8.');
  try {
    return JSON.parse(body.toString());
  } catch {
    return validationFailed('The body is not valid JSON.');
  }
}

function collectEndpoints(fastify: FastifyInstance, registry: EndpointRegistry): void {
  fastify.addHook('onRoute', ({ method, config }) => {
    if (config?.endpoint !== undefined && method !== 'HEAD') registry.add(config.endpoint);
  });
}

function guardRequests(fastify: FastifyInstance, gate: Gate): void {
  fastify.decorateRequest('caller', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    gate.check(request, reply, done);
  });
}

/** Only after the body has been read, because the events of its stream know nothing of a context. */
function enterContexts(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    requestContext.run({ requestId: request.id, companyId: request.caller?.companyId }, done);
  });
}

function logRequests(fastify: FastifyInstance, log: Log): void {
  fastify.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        requestId: request.id,
        companyId: request.caller?.companyId,
      },
      'Request',
    );
    done();
  });
}
