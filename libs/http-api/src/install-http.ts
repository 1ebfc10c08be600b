import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiErrorFilter } from './errors/api-error.filter';
import { noSuchEndpoint } from './errors/to-api-error';
import { RequestAuthorizer } from './request-authorizer';
import { HTTP_API_OPTIONS, type HttpApiOptions, type Log } from './http-api-options';
import { EndpointRegistry } from './openapi/endpoint-registry';
import { readJsonBody, readRawBody } from './read-body';
import { requireAuthorization } from './route-rules';

/** Call it after creating the application and before `init` or `listen`, which register the routes. */
export function installHttp(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const options = app.get<HttpApiOptions>(HTTP_API_OPTIONS);
  app.useGlobalFilters(new ApiErrorFilter(options));
  ignoreOtherBodies(app, fastify);
  collectEndpoints(fastify, app.get(EndpointRegistry));
  authorizeRequests(fastify, app.get(RequestAuthorizer), options);
  if (options.accessLog !== false) logRequests(fastify, options.log);
}

/** Bodies of endpoints are read after authorization. All others, such as those of unknown paths, are not parsed. */
function ignoreOtherBodies(app: NestFastifyApplication, fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  app.useBodyParser('*', {}, (_request, _body, done) => done(null, undefined));
}

function collectEndpoints(fastify: FastifyInstance, registry: EndpointRegistry): void {
  fastify.addHook('onRoute', (route) => {
    requireAuthorization(route);
    const { method, config } = route;
    if (config?.endpoint !== undefined && method !== 'HEAD') registry.add(config.endpoint);
  });
}

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

function authorizeRequests(
  fastify: FastifyInstance,
  authorizer: RequestAuthorizer,
  { isServed }: Pick<HttpApiOptions, 'isServed'>,
): void {
  fastify.decorateRequest('caller', null);
  fastify.decorateRequest('operator', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    if (isServed !== undefined && !isServed(request)) return done(noSuchEndpoint());
    const { endpoint, rawBody } = request.routeOptions.config;
    if (rawBody) return readRawBody(request, reply, done);
    authorizer.authorize(request, reply, (error, key) => {
      if (error !== undefined || endpoint === undefined || !methodsWithBody.has(request.method)) return done(error);
      // A missing permission is reported before a malformed body, even if the body cannot be read at all.
      readJsonBody(request, reply, (flaw) => authorizer.authorizeBody(key, request, (denial) => done(denial ?? flaw)));
    });
  });
}

/** Successful requests and health checks are debug lines; rejected and failed requests are info lines. */
function logRequests(fastify: FastifyInstance, log: Log): void {
  fastify.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const isProbe = request.routeOptions.url?.startsWith('/health/');
    const level = reply.statusCode < 400 || isProbe ? 'debug' : 'info';
    log[level](
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        requestId: request.id,
        companyId: request.caller?.companyId,
        operatorId: request.operator?.id,
      },
      'Request',
    );
    done();
  });
}
