import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiErrorFilter } from './errors/api-error.filter';
import { noSuchEndpoint, noSuchMethod } from './errors/to-api-error';
import type { ApiError } from './errors/api-error';
import { RequestAuthorizer } from './request-authorizer';
import { HTTP_API_OPTIONS, type HttpApiOptions, type Log } from './http-api-options';
import { KnownPaths } from './known-paths';
import { EndpointRegistry } from './openapi/endpoint-registry';
import { closeUnlessRead, readJsonBody, readRawBody } from './read-body';
import { requireAuthorization } from './route-rules';

/** Call it after creating the application and before `init` or `listen`, which register the routes. */
export function installHttp(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const options = app.get<HttpApiOptions>(HTTP_API_OPTIONS);
  app.useGlobalFilters(new ApiErrorFilter(options));
  ignoreOtherBodies(app, fastify);
  const paths = new KnownPaths();
  collectRoutes(fastify, app.get(EndpointRegistry), paths);
  authorizeRequests(fastify, app.get(RequestAuthorizer), paths, options);
  if (options.accessLog !== false) logRequests(fastify, options.log);
}

/** Bodies of endpoints are read after authorization. All others, such as those of unknown paths, are not parsed. */
function ignoreOtherBodies(app: NestFastifyApplication, fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  app.useBodyParser('*', {}, (_request, _body, done) => done(null, undefined));
}

function collectRoutes(fastify: FastifyInstance, registry: EndpointRegistry, paths: KnownPaths): void {
  fastify.addHook('onRoute', (route) => {
    requireAuthorization(route);
    const { method, url, config } = route;
    paths.add(url, [method].flat());
    if (config?.endpoint !== undefined && method !== 'HEAD') registry.add(config.endpoint);
  });
}

const methodsWithBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

function authorizeRequests(
  fastify: FastifyInstance,
  authorizer: RequestAuthorizer,
  paths: KnownPaths,
  { isServed = () => true }: Pick<HttpApiOptions, 'isServed'>,
): void {
  const unroutable = ({ raw, url }: FastifyRequest): ApiError => {
    const methods = paths.methodsOf(url, (path) => isServed(raw, path));
    return methods.length === 0 ? noSuchEndpoint() : noSuchMethod(methods);
  };
  fastify.decorateRequest('caller', null);
  fastify.decorateRequest('operator', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    const { url = '', config } = request.routeOptions;
    const limitBytes = config?.endpoint?.maxBodyBytes;
    closeUnlessRead(request, reply, limitBytes);
    // Here and not in a handler, because Fastify calls none for methods that it does not know.
    if (request.is404 || !isServed(request.raw, url)) return done(unroutable(request));
    const { endpoint, rawBody } = config;
    if (rawBody) return readRawBody(request, reply, done);
    authorizer.authorize(request, reply, (error, key) => {
      if (error !== undefined || endpoint === undefined || !methodsWithBody.has(request.method)) return done(error);
      // A missing permission is reported before a malformed body, even if the body cannot be read at all.
      readJsonBody(request, reply, limitBytes, (flaw) =>
        authorizer.authorizeBody(key, request, (denial) => done(denial ?? flaw)),
      );
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
