import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, RouteOptions } from 'fastify';
import { isOperatorEndpoint } from './endpoint-definition';

/** Declares a route that needs neither an API key nor an operator token. All other routes must be endpoints. */
export function PublicRoute(options: Pick<FastifyContextConfig, 'rawBody'> = {}): MethodDecorator {
  const config: FastifyContextConfig = { ...options, public: true };
  return RouteConfig(config);
}

/** Throws, so that the process does not start, if a route would be served without the authorization that its path promises. */
export function requireAuthorization({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
  const route = `${[method].flat().join(', ')} ${url}`;
  const { endpoint, public: isPublic = false, rawBody = false } = config ?? {};
  if (endpoint === undefined) {
    if (isPublic) return;
    throw new Error(
      `${route} has no authorization. Declare it with @Endpoint or @OperatorEndpoint, or with @PublicRoute if it needs none.`,
    );
  }
  if (isPublic || rawBody) throw new Error(`${route} is an endpoint, so it cannot be public or read a raw body.`);
  if (url !== endpoint.path)
    throw new Error(`${route} is declared as ${endpoint.path}. Declare the path it is served at.`);
  if (isOperatorEndpoint(endpoint) !== url.startsWith('/operator/')) {
    throw new Error(`${route} has the wrong decorator. Use @OperatorEndpoint under /operator/, and only there.`);
  }
}
